import type { Middleware } from "../context.ts"
import { readTraceparent } from "./trace-context.ts"
import type { Tracer } from "./tracer.ts"

/** Status codes from this one on are faults of this service. */
const FIRST_FAULT = 500

/** Records requests: a span with the operation, the status and the id that the logs have. */
export function traceRequests(tracer: Tracer | undefined): Middleware {
  if (tracer === undefined) return (_context, next) => next()
  return (context, next) => {
    const caller = readTraceparent(context.req.headers["traceparent"])
    if (!tracer.isRecorded(caller)) return next()
    return tracer.record({ name: "request", kind: "server", caller }, async (span) => {
      await next()
      const { operation = "unknown", requestId, reason } = context.state
      span.name = operation
      span.isFault = context.status >= FIRST_FAULT
      span.attributes["http.request.method"] = context.method
      span.attributes["http.response.status_code"] = context.status
      span.attributes["countersign.request_id"] = requestId
      if (reason !== undefined) span.attributes["countersign.reason"] = reason
    })
  }
}
