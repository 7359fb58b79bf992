import type { Middleware as KoaMiddleware, ParameterizedContext } from "koa"

/** State of a request while it is handled, from which its log line is written. */
export type RequestState = {
  requestId: string
  /** Configured origin of links in replies. */
  publicUrl?: string
  /** Name of the operation, once the path is recognised. */
  operation?: string
  organizationId?: string
  activityId?: string
  /** Reason of the refusal. */
  reason?: string
  /** The failure behind an internal error. */
  fault?: unknown
}

export type Context = ParameterizedContext<RequestState>
export type Middleware = KoaMiddleware<RequestState>
/** Answers one operation. */
export type Handler = (context: Context) => Promise<void> | void

/**
 * Replies with JSON. The content type is set on Node's response, because koa's own way is slower, and has no charset,
 * because published clients compare it exactly.
 */
export function reply(context: Context, text: string, status = 200): void {
  context.status = status
  context.res.setHeader("Content-Type", "application/json")
  context.body = text
}
