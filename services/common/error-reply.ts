import type { ApiError, ErrorBody, ErrorDetail } from "./api-error.ts"
import type { RequestState } from "./context.ts"

/**
 * The error body with the request's id, which published clients print from the details; they show no header. Replies to
 * unknown paths and methods (404, 405, 501) have no details.
 */
export function errorReply(
  error: ApiError,
  state: Pick<RequestState, "requestId" | "activityId">,
): ErrorBody {
  const body = error.body()
  if (body.turnkeyErrorCode === undefined) return body
  const message = error.status === 500 ? `${body.message} (request ${state.requestId})` : body.message
  return { ...body, message, details: [...body.details, errorInfo(error, state)] }
}

/** google.rpc.ErrorInfo: the code of docs/ERRORS.md, the id of the log line, and the activity that a denial stored. */
function errorInfo(
  { reason, status }: ApiError,
  { requestId, activityId }: Pick<RequestState, "requestId" | "activityId">,
): ErrorDetail {
  const isKept = activityId !== undefined && status < 500
  return {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason,
    domain: "countersign",
    metadata: { requestId, ...(isKept && { activityId }) },
  }
}
