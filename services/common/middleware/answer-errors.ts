import { GrpcCode, type ApiError, type ErrorBody, type ErrorDetail } from "../api-error.ts"
import { type Middleware, reply, type RequestState } from "../context.ts"

/** Turns whatever was thrown into the JSON body that clients parse. `toApiError` is the service's one mapping. */
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
      reply(context, JSON.stringify(errorReply(error, context.state)), error.status)
    }
  }
}

/**
 * The body with what belongs to this reply alone: published clients print details, and show no header. What is not
 * there at all (404, 405, 501) has no details.
 */
function errorReply(error: ApiError, state: RequestState): ErrorBody {
  const body = error.body()
  if (body.turnkeyErrorCode === undefined) return body
  const message = error.status === 500 ? `${body.message} (request ${state.requestId})` : body.message
  return { ...body, message, details: [...body.details, errorInfo(error, state)] }
}

/** google.rpc.ErrorInfo: the code of docs/ERRORS.md, the name of the log line, and the activity that is kept of a denial. */
function errorInfo({ reason, status }: ApiError, { requestId, activityId }: RequestState): ErrorDetail {
  const isKept = activityId !== undefined && status < 500
  return {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason,
    domain: "countersign",
    metadata: { requestId, ...(isKept && { activityId }) },
  }
}
