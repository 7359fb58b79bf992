import type { Middleware } from "../context.ts"
import type { Stop } from "../stop.ts"

/**
 * While the process stops, each answer ends its connection (RFC 9112, section 9.6). An answer that comes before the
 * request's end does not: closing a connection with unread bytes resets it, and the caller would lose the answer.
 */
export function closeConnections(stop: Pick<Stop, "isClosing">): Middleware {
  return async ({ req, res }, next) => {
    await next()
    if (stop.isClosing && req.complete) res.setHeader("Connection", "close")
  }
}
