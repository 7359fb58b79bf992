import { afterReply } from "../after-reply.ts"
import type { Middleware } from "../context.ts"
import type { Metrics } from "./metrics.ts"

const MS_PER_SECOND = 1000

/** Counts each request with its time, and the reason if it was not answered with success. */
export function countRequests(metrics: Metrics | undefined): Middleware {
  if (metrics === undefined) return (_context, next) => next()
  return async (context, next) => {
    const beganMs = performance.now()
    await next()
    const { operation = "unknown", reason } = context.state
    const seconds = (performance.now() - beganMs) / MS_PER_SECOND
    const status = String(context.status)
    afterReply(() => {
      metrics.observe("countersign_http_request_seconds", seconds, { operation, status })
      if (reason !== undefined) metrics.count("countersign_http_refusals_total", { reason })
    })
  }
}
