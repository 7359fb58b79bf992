// Outcomes of policies in words.
import type { Tone } from "./activity.ts"

const OUTCOMES: { readonly [outcome: string]: readonly [Tone, string] } = {
  OUTCOME_ALLOW: ["good", "Allows"],
  OUTCOME_DENY_EXPLICIT: ["bad", "Denies"],
  OUTCOME_DENY_IMPLICIT: ["", "Does not apply"],
  OUTCOME_REQUIRES_CONSENSUS: ["warn", "Needs more votes"],
  OUTCOME_REJECTED: ["bad", "Rejected"],
  OUTCOME_ERROR: ["bad", "Cannot be evaluated"],
  OUTCOME_TIME_INACTIVE: ["", "Outside its time"],
  OUTCOME_REQUIRES_AUTHENTICATORS: ["warn", "Needs a factor"],
}

/** Outcome of one policy for a request, in words. */
export function outcomeWords(outcome: string): readonly [Tone, string] {
  return OUTCOMES[outcome] ?? ["", outcome]
}

const DECISIONS: { readonly [outcome: string]: readonly [Tone, string] } = {
  OUTCOME_ALLOW: ["good", "Allowed"],
  OUTCOME_DENY_EXPLICIT: ["bad", "Denied by a policy"],
  OUTCOME_DENY_IMPLICIT: ["", "No policy allows it"],
}

/** Outcome of all policies for a request, in words. */
export function decisionWords(outcome: string): readonly [Tone, string] {
  return DECISIONS[outcome] ?? outcomeWords(outcome)
}
