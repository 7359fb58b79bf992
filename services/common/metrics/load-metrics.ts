import type { Metrics } from "./metrics.ts"
import type { serveMetrics } from "./serve-metrics.ts"

/**
 * New metrics of this process, and what serves them. They are loaded here: their packages and lists of labels are two hundred modules,
 * which a process without an address for metrics starts without.
 */
export async function loadMetrics(): Promise<{ metrics: Metrics; serveMetrics: typeof serveMetrics }> {
  const [metrics, serving] = await Promise.all([import("./metrics.ts"), import("./serve-metrics.ts")])
  return { metrics: new metrics.Metrics(), serveMetrics: serving.serveMetrics }
}
