// Outcomes of policies in words.
import type { Tone } from "./activity.ts"

const OUTCOMES: { readonly [outcome: string]: readonly [tone: Tone, words: string, why: string] } = {
  OUTCOME_ALLOW: ["good", "Allows", "The request fits the condition, and enough users have approved it."],
  OUTCOME_DENY_EXPLICIT: [
    "bad",
    "Denies",
    "The request fits the condition of a DENY, which no ALLOW passes.",
  ],
  OUTCOME_DENY_IMPLICIT: ["", "Does not apply", "The request does not fit the condition or the consensus."],
  OUTCOME_REQUIRES_CONSENSUS: [
    "warn",
    "Needs more votes",
    "It allows the request once the users of its consensus approve.",
  ],
  OUTCOME_REJECTED: ["bad", "Rejected", "Users whom its consensus asks have rejected the request."],
  OUTCOME_ERROR: [
    "bad",
    "Cannot be evaluated",
    "The request lacks what its expressions name. Such a policy allows nothing, and denies only with FEATURE_NAME_STRICT_DENY.",
  ],
  OUTCOME_TIME_INACTIVE: ["", "Outside its time", "Its time expression was false at the vote."],
  OUTCOME_REQUIRES_AUTHENTICATORS: [
    "warn",
    "Needs a factor",
    "An MFA policy asks for a further credential of a user who voted.",
  ],
}

/** Outcome of one policy for a request, in words. */
export function outcomeWords(outcome: string): readonly [tone: Tone, words: string, why?: string] {
  return OUTCOMES[outcome] ?? ["", outcome]
}

/** One expression of a policy for a request, as `simulate_policies` returns it. */
export type EvaluatedExpression = {
  field: string
  result: string
  /** Reason for which the expression would be refused. */
  fault?: { sentence: string }
  deciding: { text: string; result: string; sentence?: string }[]
}

/** The reasons why a policy cannot be evaluated for a request: each with the expression and its part at fault. */
export function evaluationFaults(expressions: readonly EvaluatedExpression[]): string[] {
  return [...faultsOf(expressions), ...costlySearch(expressions)]
}

/** The reason why a policy cannot be evaluated though each of its expressions has a value; none for other policies. */
export function costlySearch(expressions: readonly EvaluatedExpression[]): string[] {
  if (expressions.length === 0 || faultsOf(expressions).length > 0) return []
  return [
    "consensus: finding who may approve takes more steps than one request allows; simplify the consensus, or have a root user do it",
  ]
}

function faultsOf(expressions: readonly EvaluatedExpression[]): string[] {
  return expressions.flatMap(({ field, fault, deciding }) => [
    ...(fault === undefined ? [] : [`${field}: ${fault.sentence}`]),
    ...deciding.flatMap(({ text, sentence }) =>
      sentence === undefined ? [] : [`${field}, ${shortened(text)}: ${sentence}`],
    ),
  ])
}

/** Characters of an expression's part that a reason names. */
const MAX_NAMED = 60

export function shortened(text: string): string {
  return text.length > MAX_NAMED ? `${text.slice(0, MAX_NAMED)}…` : text
}

const DECISIONS: { readonly [outcome: string]: readonly [Tone, string, why: string] } = {
  OUTCOME_ALLOW: ["good", "Allowed", "A policy allows it, and none denies it."],
  OUTCOME_DENY_EXPLICIT: ["bad", "Denied by a policy", "A DENY fits the request, which no ALLOW passes."],
  OUTCOME_DENY_IMPLICIT: [
    "",
    "No policy allows it",
    "Without a policy that allows it, a request is refused.",
  ],
}

/** Outcome of all policies for a request, in words. */
export function decisionWords(outcome: string): readonly [tone: Tone, words: string, why?: string] {
  return DECISIONS[outcome] ?? outcomeWords(outcome)
}
