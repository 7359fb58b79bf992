import type { Metrics } from "./metrics.ts"
import type { serveMetrics } from "./serve-metrics.ts"

/**
 * New metrics of this process, and the function that serves them. Both are loaded here: with their packages and lists of labels they
 * are two hundred modules, and a process without an address for metrics needs none of them.
 */
export async function loadMetrics(): Promise<{ metrics: Metrics; serveMetrics: typeof serveMetrics }> {
  const [metrics, serving] = await Promise.all([import("./metrics.ts"), import("./serve-metrics.ts")])
  return { metrics: new metrics.Metrics(), serveMetrics: serving.serveMetrics }
}
