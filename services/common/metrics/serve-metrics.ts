import type { RequestListener } from "node:http"
import { HTTP_LIMITS } from "../http-limits.ts"
import { listen, type Listening } from "../listen.ts"
import type { Logger } from "../logger.ts"
import type { HostAndPort } from "../../../signer/core/settings/settings.ts"
import type { Metrics } from "./metrics.ts"

/** Few readers are expected, and none of them must keep the process from ending. */
const LIMITS = { ...HTTP_LIMITS, maxConnections: 32, quietMs: 0 }

/** Serves `GET /metrics` on a listener of its own. */
export async function serveMetrics(metrics: Metrics, address: HostAndPort, log: Logger): Promise<Listening> {
  const handler: RequestListener = ({ method, url }, response) => {
    if (url !== "/metrics") response.writeHead(404).end("GET /metrics\n")
    else if (method !== "GET") response.writeHead(405, { Allow: "GET" }).end()
    else
      metrics.text().then(
        (text) => response.writeHead(200, { "Content-Type": metrics.contentType }).end(text),
        (error: unknown) => {
          log.error({ err: error }, "the metrics could not be read")
          response.writeHead(500).end()
        },
      )
  }
  const listener = await listen({ handler, log, limits: LIMITS, isOwn: true }, address)
  log.info({ url: `${listener.url}/metrics` }, "serving metrics")
  return listener
}
