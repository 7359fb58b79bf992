import { randomUUID } from "node:crypto"
import type { Middleware } from "../context.ts"

const HEADER = "X-Request-Id"
/** An id that a caller may choose; nothing that could break a log line. */
const CHOSEN = /^[A-Za-z0-9._-]{1,64}$/

/** Gives every request an id, or takes over the caller's, and sends it with the reply. */
export const identifyRequest: Middleware = (context, next) => {
  const chosen = context.req.headers["x-request-id"]
  const requestId = typeof chosen === "string" && CHOSEN.test(chosen) ? chosen : randomUUID()
  context.state.requestId = requestId
  context.res.setHeader(HEADER, requestId)
  return next()
}
