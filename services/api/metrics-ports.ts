import type { HostAndPort } from "../../signer/core/settings/settings.ts"

/** Faults of the workers' ports for metrics, which begin at the port of the setting. None: []. */
export function faultsOfMetricsPorts(
  count: number | undefined,
  metrics: HostAndPort | undefined,
  listen: HostAndPort | undefined,
): string[] {
  if (count === undefined || count === 1 || metrics === undefined || metrics.port === 0) return []
  const last = metrics.port + count - 1
  const name = "COUNTERSIGN_API_METRICS_LISTEN"
  if (last > 65_535)
    return [`${name}: ${count} processes use the ports ${metrics.port} to ${last}; the highest port is 65535`]
  if (listen !== undefined && listen.port >= metrics.port && listen.port <= last)
    return [
      `${name}: ${count} processes use the ports ${metrics.port} to ${last}, and ${listen.port} is the API's own`,
    ]
  return []
}
