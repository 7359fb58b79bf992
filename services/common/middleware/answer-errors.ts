import { GrpcCode, type ApiError } from "../api-error.ts"
import { type Middleware, reply } from "../context.ts"
import { errorReply } from "../error-reply.ts"
import { linkBaseOf } from "../link-base.ts"

/** A second clears any queue of this service, and faults of a dependency usually end within seconds. */
const RETRY_AFTER_SECONDS = "1"

/**
 * Turns any thrown error into the JSON body that clients parse. `toApiError` is the service's one mapping; `publicUrl` the
 * origin of links in replies, if it is configured.
 */
export function answerErrors(
  toApiError: (thrown: unknown) => ApiError,
  publicUrl: string | undefined,
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
      // The link in it may be from the caller's Host header, which a cache in front need not look at.
      context.set("Cache-Control", "no-store")
      if (error.status === 429 || error.status === 503) context.set("Retry-After", RETRY_AFTER_SECONDS)
      reply(
        context,
        JSON.stringify(errorReply(error, { ...context.state, linkBase: linkBaseOf(context) })),
        error.status,
      )
    }
  }
}
