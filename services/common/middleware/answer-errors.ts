import type { IncomingHttpHeaders } from "node:http"
import { type ApiError, type ErrorBody, GrpcCode } from "../api-error.ts"
import { type Middleware, reply } from "../context.ts"
import { errorReply } from "../error-reply.ts"
import { linkBaseOf } from "../link-base.ts"

/** A second clears any queue of this service, and faults of a dependency usually end within seconds. */
const RETRY_AFTER_SECONDS = "1"

/**
 * Turns any thrown error into the JSON body that clients parse. `toApiError` is the service's one mapping; `publicUrl` the
 * origin of links in replies, if it is configured; `bodyFor` gives a body the form that the caller expects.
 */
export function answerErrors(
  toApiError: (thrown: unknown) => ApiError,
  publicUrl: string | undefined,
  bodyFor: (body: ErrorBody, headers: IncomingHttpHeaders) => ErrorBody = (body) => body,
): Middleware {
  return async (context, next) => {
    if (publicUrl !== undefined) context.state.publicUrl = publicUrl
    try {
      await next()
    } catch (thrown) {
      const error = toApiError(thrown)
      context.state.reason = error.reason
      if (error.status >= 500 && error.code !== GrpcCode.unimplemented) {
        context.state.fault = error.cause ?? error
      }
      // The link in it may be from the caller's Host header, which a cache in front need not read.
      context.set("Cache-Control", "no-store")
      if (error.status === 429 || error.status === 503) context.set("Retry-After", RETRY_AFTER_SECONDS)
      const { activityId } = context.state
      if (activityId !== undefined) context.set("X-Countersign-Activity-Id", activityId)
      const body = errorReply(error, { ...context.state, linkBase: linkBaseOf(context) })
      reply(context, JSON.stringify(bodyFor(body, context.req.headers)), error.status)
    }
  }
}
