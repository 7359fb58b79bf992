import { commandText, shownId } from "../../signer/core/command-text.ts"
import { REFUSAL_TEXTS } from "../common/errors/refusal-texts.ts"

/** Members of an API error body that the command prints. */
type ErrorBody = { message?: string; details?: readonly Detail[] }
type Detail = {
  "@type"?: string
  reason?: string
  metadata?: { requestId?: string; activityId?: string }
  fieldViolations?: readonly { field?: string }[]
  policyEvaluations?: readonly { policyId?: string; outcome?: string }[]
  message?: string
  policies?: readonly { policyId?: string; policyName?: string; reason?: string }[]
  suggestions?: readonly string[]
  links?: readonly { url?: string }[]
  /** Place of a fault in an expression, in UTF-16 code units. */
  offset?: number
}

/** Reasons whose message is a text that published clients match, which says no next step. */
const LITERAL: ReadonlySet<string> = new Set([
  "CREDENTIAL_UNKNOWN",
  "PASSKEY_UNKNOWN",
  "IDENTITY_UNKNOWN",
  "CREDENTIAL_EXPIRED",
])

/**
 * `message (REASON at field, request id)`, and the lines of a denial. `otherwise`: the sentence for a reply without
 * message.
 */
export function errorLines(reply: unknown, otherwise: string): string[] {
  const { message = otherwise, details = [] } = (reply ?? {}) as ErrorBody
  const reason = details.find((detail) => detail.reason !== undefined)
  const field = details.flatMap(({ fieldViolations = [] }) => fieldViolations).at(0)?.field
  const fault = details.find((detail) => detail["@type"]?.endsWith(".ExpressionFault"))
  const column = fault && `, column ${(fault.offset ?? 0) + 1}`
  const where = [reason?.reason, field && `at ${field}${column ?? ""}`].filter(Boolean).join(" ")
  const { requestId, activityId: statedId } = reason?.metadata ?? {}
  const activityId = shownId(statedId, "")
  const names = [requestId && `request ${requestId}`, activityId && `activity ${activityId}`]
  const marks = [where, ...names].filter(Boolean).join(", ")
  const sentence = marks === "" ? message : `${message} (${marks})`
  return [
    sentence,
    ...remedyLines(reason?.reason),
    ...withNames(details).flatMap(denialLines),
    ...explainLines(details, activityId),
  ]
}

function remedyLines(reason: string | undefined): string[] {
  const text = reason !== undefined && LITERAL.has(reason) ? REFUSAL_TEXTS[reason] : undefined
  return text === undefined ? [] : [`  to do: ${text.remedy.replace(/\.$/, "")}`]
}

/** Outcomes of policies whose reason is stated by name are left out: the same policy would be listed twice. */
function withNames(details: readonly Detail[]): Detail[] {
  const named = new Set(details.flatMap(({ policies = [] }) => policies.map(({ policyId }) => policyId)))
  return details.map(({ policyEvaluations, ...detail }) => ({
    ...detail,
    ...(policyEvaluations && {
      policyEvaluations: policyEvaluations.filter(({ policyId }) => !named.has(policyId)),
    }),
  }))
}

/** The command that shows the clauses by which policies decided. */
function explainLines(details: readonly Detail[], activityId: string): string[] {
  const isDenial = details.some(({ policyEvaluations }) => policyEvaluations !== undefined)
  return isDenial && activityId !== ""
    ? [commandText`  why: npx countersign activity explain ${activityId}`]
    : []
}

/** The refusal code of the reply, if it has one. */
export function reasonOf(reply: unknown): string | undefined {
  const { details = [] } = (reply ?? {}) as ErrorBody
  return details.find((detail) => detail.reason !== undefined)?.reason
}

/** The policies that denied, by name where the API names them, advice, and where to read on. */
function denialLines({ policyEvaluations, message, policies = [], suggestions, links }: Detail): string[] {
  return [
    ...(policyEvaluations === undefined || message === undefined ? [] : [message]),
    ...(policyEvaluations ?? []).map(
      ({ policyId, outcome = "" }) => `  policy ${shownId(policyId, "without id")}: ${outcome}`,
    ),
    ...policies.map(
      ({ policyName = "", reason = "" }) => `  policy ${JSON.stringify(policyName)}: ${reason}`,
    ),
    ...(suggestions ?? []).map((suggestion) => `  to have it allowed: ${suggestion}`),
    ...(links ?? []).map(({ url = "" }) => `  see ${url}`),
  ]
}
