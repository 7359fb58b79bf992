import { GrpcCode, type ApiError } from "../api-error.ts"
import { type Middleware, reply } from "../context.ts"
import { errorReply } from "../error-reply.ts"

/** A second clears any queue of this service, and faults of a dependency usually end within seconds. */
const RETRY_AFTER_SECONDS = "1"

/** Turns any thrown error into the JSON body that clients parse. `toApiError` is the service's one mapping. */
export function answerErrors(toApiError: (thrown: unknown) => ApiError): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (thrown) {
      const error = toApiError(thrown)
      context.state.reason = error.reason
      if (error.status >= 500 && error.code !== GrpcCode.unimplemented) {
        context.state.fault = error.cause ?? error
      }
      if (error.status === 429 || error.status === 503) context.set("Retry-After", RETRY_AFTER_SECONDS)
      reply(context, JSON.stringify(errorReply(error, context.state)), error.status)
    }
  }
}
