import { randomUUID } from "node:crypto"
import { isRequestId } from "../../../signer/core/request-id.ts"
import type { Middleware } from "../context.ts"

const HEADER = "X-Request-Id"

/** Gives every request an id, or takes over the caller's, and sends it with the reply. */
export const identifyRequest: Middleware = (context, next) => {
  const chosen = context.req.headers["x-request-id"]
  const requestId = typeof chosen === "string" && isRequestId(chosen) ? chosen : randomUUID()
  context.state.requestId = requestId
  context.res.setHeader(HEADER, requestId)
  return next()
}
