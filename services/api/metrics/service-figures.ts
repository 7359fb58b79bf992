import type { MetricName } from "../../common/metrics/declared.ts"
import type { Metrics, MetricSample } from "../../common/metrics/metrics.ts"
import type { OrganizationCache } from "../authentication/organization-cache.ts"
import type { Admission } from "../http/admission.ts"
import type { QuerySlots } from "../queries/shared/query-slots.ts"
import type { ActivityBatcher } from "../store/activities.ts"

type Sources = {
  admission: Admission
  slots: QuerySlots
  batcher: Pick<ActivityBatcher, "waiting">
  cache: OrganizationCache
}

/** Registers the queues and caches of this process. */
export function provideServiceFigures(metrics: Metrics, { admission, slots, batcher, cache }: Sources): void {
  const read = (): { [name in MetricName]?: MetricSample[] } => ({
    countersign_http_requests_running: [{ value: admission.running }],
    countersign_http_requests_waiting: [{ value: admission.waiting }],
    countersign_http_oldest_request_seconds: [{ value: admission.oldestSeconds }],
    countersign_query_slots: [
      { value: slots.running, labels: { state: "running" } },
      { value: slots.waiting, labels: { state: "waiting" } },
    ],
    countersign_activity_rows_waiting: [{ value: batcher.waiting }],
    countersign_cache_entries: [
      { value: cache.size, labels: { cache: "organizations" } },
      { value: admission.knownCallers, labels: { cache: "callers" } },
    ],
  })
  const names = Object.keys(read()) as MetricName[]
  metrics.provide(names, async () => new Map(Object.entries(read()) as [MetricName, MetricSample[]][]))
}
