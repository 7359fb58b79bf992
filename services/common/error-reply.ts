import type { ApiError, ErrorBody, ErrorDetail } from "./api-error.ts"
import type { RequestState } from "./context.ts"

/**
 * The body with what belongs to this reply alone: published clients print details, and show no header. What is not
 * there at all (404, 405, 501) has no details.
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

/** google.rpc.ErrorInfo: the code of docs/ERRORS.md, the name of the log line, and the activity that is kept of a denial. */
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
