import type { Middleware as KoaMiddleware, ParameterizedContext } from "koa"

/** What is known about a request while it is handled; the log line is made of it. */
export type RequestState = {
  requestId: string
  /** Name of the operation, once the path was recognised. */
  operation?: string
  organizationId?: string
  activityId?: string
  /** Why it was refused. */
  reason?: string
  /** The failure behind an internal error. */
  fault?: unknown
}

export type Context = ParameterizedContext<RequestState>
export type Middleware = KoaMiddleware<RequestState>
/** Answers one operation. */
export type Handler = (context: Context) => Promise<void> | void

/**
 * Replies with JSON. Headers that every reply has are set on Node's response: koa's own way makes a list of lists of
 * each. The content type has no charset: published clients compare it exactly.
 */
export function reply(context: Context, text: string, status = 200): void {
  context.status = status
  context.res.setHeader("Content-Type", "application/json")
  context.body = text
}
