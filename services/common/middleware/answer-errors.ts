import { GrpcCode, type ApiError, type ErrorBody, type ErrorDetail } from "../api-error.ts"
import { type Middleware, reply } from "../context.ts"

/** Turns whatever was thrown into the JSON body that clients parse. `toApiError` is the service's one mapping. */
export function answerErrors(toApiError: (thrown: unknown) => ApiError): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (thrown) {
      const error = toApiError(thrown)
      const { requestId } = context.state
      context.state.reason = error.reason
      if (error.status >= 500 && error.code !== GrpcCode.unimplemented) {
        context.state.fault = error.cause ?? error
      }
      reply(context, JSON.stringify(errorReply(error, requestId)), error.status)
    }
  }
}

/**
 * The body with what belongs to this reply alone: published clients print details, and show no header. What is not
 * there at all (404, 405, 501) has no details.
 */
function errorReply(error: ApiError, requestId: string): ErrorBody {
  const body = error.body()
  if (body.turnkeyErrorCode === undefined) return body
  const message = error.status === 500 ? `${body.message} (request ${requestId})` : body.message
  return { ...body, message, details: [...body.details, errorInfo(error.reason, requestId)] }
}

/** google.rpc.ErrorInfo: the code of docs/ERRORS.md, and the name of the log line. */
function errorInfo(reason: string, requestId: string): ErrorDetail {
  return {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason,
    domain: "countersign",
    metadata: { requestId },
  }
}
