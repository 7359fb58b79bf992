import type { MetricName } from "../common/metrics/declared.ts"
import type { Metrics, MetricSample } from "../common/metrics/metrics.ts"
import { type Database, poolState } from "./database.ts"

/** The pools of a process, by their names in its log and in its metrics. */
export type Pools = {
  readonly [name in "requests" | "queries" | "locks" | "worker" | "jobs" | "signals"]?: Database
}

const NAME = "countersign_database_connections" satisfies MetricName

/** Registers the connections of each pool. */
export function providePoolFigures(metrics: Metrics, pools: Pools): void {
  const read = (): MetricSample[] =>
    Object.entries(pools).flatMap(([pool, sql]) => {
      const { open, lost } = poolState(sql)
      return [
        { value: open, labels: { pool, connection: "open" } },
        { value: lost, labels: { pool, connection: "lost" } },
      ]
    })
  metrics.provide([NAME], async () => new Map([[NAME, read()]]))
}
