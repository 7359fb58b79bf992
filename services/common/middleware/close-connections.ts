import type { Middleware } from "../context.ts"
import type { Stop } from "../stop.ts"
import { isLongUnread } from "../unread-bodies.ts"

/**
 * Says which answers end their connection (RFC 9112, section 9.6): those to a request whose body is not read, and all while
 * the process stops. A short body that is still arriving is read to its end, because closing a connection with unread bytes
 * resets it.
 */
export function closeConnections(stop: Pick<Stop, "isClosing">): Middleware {
  return async ({ req, res }, next) => {
    await next()
    if (req.complete ? stop.isClosing : isLongUnread(req)) res.setHeader("Connection", "close")
  }
}
