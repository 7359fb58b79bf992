import type { ApiError, ErrorBody, ErrorDetail } from "./api-error.ts"
import type { RequestState } from "./context.ts"

/** State of a request that its error reply shows. `linkBase`: origin of the links, empty for links without one. */
export type ReplyState = Pick<RequestState, "requestId" | "activityId"> & { linkBase?: string }

const HELP = "type.googleapis.com/google.rpc.Help"

/**
 * The error body with the page of its reason and the request's id, which published clients print from the details; they show
 * no header.
 */
export function errorReply(error: ApiError, state: ReplyState): ErrorBody {
  const body = error.body()
  const message = error.status === 500 ? `${body.message} (request ${state.requestId})` : body.message
  // A stored denial of an earlier release has a link of its own.
  const details = body.details.filter((detail) => detail["@type"] !== HELP)
  return { ...body, message, details: [...details, help(error, state), errorInfo(error, state)] }
}

/** google.rpc.Help: the page about the reason. */
function help({ reason }: ApiError, { linkBase = "" }: ReplyState): ErrorDetail {
  const link = { description: `${reason}: meaning and remedy`, url: `${linkBase}/docs/errors/${reason}` }
  return { "@type": HELP, links: [link] }
}

/**
 * A relayed error body whose link leads to this service: the caller cannot reach the one behind it. Text that is no such
 * body is left as it is.
 */
export function withLinkBase(text: string, linkBase: string): string {
  return text.replace(/"url":"[^"\\]*(\/docs\/errors\/[A-Z0-9_]+)"/, `"url":"${linkBase}$1"`)
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
