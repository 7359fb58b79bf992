import type { ApiError } from "../api-error.ts"
import { type Middleware, reply } from "../context.ts"

/** Turns whatever was thrown into the JSON body that clients parse. `toApiError` is the service's one mapping. */
export function answerErrors(toApiError: (thrown: unknown) => ApiError): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (thrown) {
      const error = toApiError(thrown)
      context.state.reason = error.reason
      if (error.status >= 500 && error.status !== 501) context.state.fault = error.cause ?? error
      const body = error.body()
      if (error.status === 500) body.message += ` (request ${context.state.requestId})`
      reply(context, JSON.stringify(body), error.status)
    }
  }
}
