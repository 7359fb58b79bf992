import type { Metrics } from "../../common/metrics/metrics.ts"
import { loadMetrics } from "../../common/metrics/load-metrics.ts"
import type { Logger } from "../../common/logger.ts"
import type { HostAndPort } from "../../../signer/core/settings/settings.ts"
import type { provideTrustedFigures } from "./trusted-figures.ts"

type OpenMetrics = { metrics: Metrics | undefined; close: () => Promise<void> }

/** Serves the metrics of this process, of the signer and of the fetcher; without an address there are none. */
export async function openMetrics(
  address: HostAndPort | undefined,
  endpoints: Parameters<typeof provideTrustedFigures>[1],
  log: Logger,
): Promise<OpenMetrics> {
  if (address === undefined) return { metrics: undefined, close: () => Promise.resolve() }
  const { metrics, serveMetrics } = await loadMetrics()
  metrics.count("countersign_database_connections_lost_total", {}, 0)
  const { provideTrustedFigures } = await import("./trusted-figures.ts")
  const trusted = provideTrustedFigures(metrics, endpoints)
  const listener = await serveMetrics(metrics, address, log)
  return {
    metrics,
    close: async () => {
      await listener.close()
      trusted.close()
    },
  }
}
