/** Members of an API error body that the command prints. */
type ErrorBody = { message?: string; details?: readonly Detail[] }
type Detail = {
  reason?: string
  metadata?: { requestId?: string; activityId?: string }
  fieldViolations?: readonly { field?: string }[]
  policyEvaluations?: readonly { policyId?: string; outcome?: string }[]
  message?: string
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
  return [sentence, ...details.flatMap(policyLines)]
}

/** The refusal code of the reply, if it has one. */
export function reasonOf(reply: unknown): string | undefined {
  const { details = [] } = (reply ?? {}) as ErrorBody
  return details.find((detail) => detail.reason !== undefined)?.reason
}

/** Lines of a denial: its reason, and the outcome of each policy. */
function policyLines({ policyEvaluations, message }: Detail): string[] {
  if (policyEvaluations === undefined) return []
  return [
    ...(message === undefined ? [] : [message]),
    ...policyEvaluations.map(({ policyId = "", outcome = "" }) => `  policy ${policyId}: ${outcome}`),
  ]
}
