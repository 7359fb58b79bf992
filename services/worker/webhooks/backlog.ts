import type { MetricName } from "../../common/metrics/declared.ts"
import type { Metrics, MetricSample } from "../../common/metrics/metrics.ts"
import type { Backlog } from "../../database/queues.ts"

const COUNTS = "countersign_worker_webhook_deliveries"
const OLDEST = "countersign_worker_webhook_oldest_seconds"

/** Numbers of pending and dead notifications, read at each scrape. Without an answer of the database there are no samples. */
export function provideBacklog(metrics: Metrics, read: () => Promise<Backlog>, now: () => number): void {
  let reading: Promise<ReadonlyMap<MetricName, MetricSample[]>> | undefined
  // One scrape asks for both names.
  const samples = () =>
    (reading ??= read()
      .then((backlog) => samplesOf(backlog, now()))
      .catch(() => new Map<MetricName, MetricSample[]>())
      .finally(() => {
        reading = undefined
      }))
  metrics.provide([COUNTS, OLDEST], samples)
}

function samplesOf(
  { waiting, dead, oldestMs }: Backlog,
  nowMs: number,
): ReadonlyMap<MetricName, MetricSample[]> {
  return new Map<MetricName, MetricSample[]>([
    [
      COUNTS,
      [
        { value: waiting, labels: { delivery: "waiting" } },
        { value: dead, labels: { delivery: "dead" } },
      ],
    ],
    [OLDEST, [{ value: oldestMs === undefined ? 0 : Math.max(0, nowMs - oldestMs) / 1000 }]],
  ])
}
