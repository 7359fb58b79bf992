/** Members of an API error body that the command prints. */
type ErrorBody = { message?: string; details?: readonly Detail[] }
type Detail = {
  reason?: string
  metadata?: { requestId?: string; activityId?: string }
  fieldViolations?: readonly { field?: string }[]
  policyEvaluations?: readonly { policyId?: string; outcome?: string }[]
  message?: string
  policies?: readonly { policyId?: string; policyName?: string; reason?: string }[]
  suggestions?: readonly string[]
  links?: readonly { url?: string }[]
}

/**
 * `message (REASON at field, request id)`, and the lines of a denial. `otherwise`: the sentence for a reply without
 * message.
 */
export function errorLines(reply: unknown, otherwise: string): string[] {
  const { message = otherwise, details = [] } = (reply ?? {}) as ErrorBody
  const reason = details.find((detail) => detail.reason !== undefined)
  const field = details.flatMap(({ fieldViolations = [] }) => fieldViolations).at(0)?.field
  const where = [reason?.reason, field && `at ${field}`].filter(Boolean).join(" ")
  const { requestId, activityId } = reason?.metadata ?? {}
  const names = [requestId && `request ${requestId}`, activityId && `activity ${activityId}`]
  const marks = [where, ...names].filter(Boolean).join(", ")
  const sentence = marks === "" ? message : `${message} (${marks})`
  return [sentence, ...details.flatMap(denialLines)]
}

/** The refusal code of the reply, if it has one. */
export function reasonOf(reply: unknown): string | undefined {
  const { details = [] } = (reply ?? {}) as ErrorBody
  return details.find((detail) => detail.reason !== undefined)?.reason
}

/** Lines of a denial: its reason, the outcome of each policy, the policies that denied, advice, where to read on. */
function denialLines({ policyEvaluations, message, policies, suggestions, links }: Detail): string[] {
  const outcomes = policyEvaluations?.map(
    ({ policyId = "", outcome = "" }) => `  policy ${policyId}: ${outcome}`,
  )
  const denying = policies?.map(
    ({ policyId = "", policyName = "", reason = "" }) =>
      `  policy ${policyId} is ${JSON.stringify(policyName)}: ${reason}`,
  )
  return [
    ...(outcomes === undefined || message === undefined ? [] : [message]),
    ...(outcomes ?? []),
    ...(denying ?? []),
    ...(suggestions ?? []).map((suggestion) => `  to have it allowed: ${suggestion}`),
    ...(links ?? []).map(({ url = "" }) => `  see ${url}`),
  ]
}
