import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { DecisionInput } from "./decision-input.ts"
import { PolicyEvaluator, type PolicyOutcome, type PolicyResult } from "./policy-evaluator.ts"
import { PolicySelection } from "./policy-selection.ts"
import { policiesOf } from "./policy-set.ts"

export type Decision = StepResult & {
  /** The outcome of every policy, in the order of the document; empty where policies were not evaluated. */
  readonly policyOutcomes: readonly PolicyOutcome[]
  /** The decision of each item of the request; empty where policies were not evaluated. */
  readonly items: readonly ItemDecision[]
}

export type ItemDecision = { readonly result: StepResult; readonly policies: readonly PolicyResult[] }

type StepResult =
  | { readonly outcome: "allow"; readonly by: "root-quorum" | "policy" | "login" | "own-credential" }
  | { readonly outcome: "consensus"; readonly reason: string }
  | { readonly outcome: "deny"; readonly reason: string }
  /** No other step decides, and a policy that may allow the request exceeds its evaluation steps. */
  | { readonly outcome: "undecided"; readonly reason: string }

/** One step of the procedure. Undefined: the next step decides. */
type Step = (input: DecisionInput, results: readonly PolicyResult[]) => StepResult | undefined

const BEFORE_POLICIES: readonly Step[] = [ownImport, rootQuorum, rootQuorumOnly]
const AFTER_POLICIES: readonly Step[] = [
  policyDenies,
  policyAllows,
  login,
  moreMustApprove,
  ownCredential,
  policyUndecided,
]

/** Steps 2 to 12 of "The decision procedure" in docs/policies.md. */
export function decide(input: DecisionInput): Decision {
  const early = firstResult(BEFORE_POLICIES, input, [])
  if (early !== undefined) return { ...early, policyOutcomes: [], items: [] }
  const items = evaluateItems(input).map((policies) => {
    return { policies, result: firstResult(AFTER_POLICIES, input, policies) ?? IMPLICIT_DENY }
  })
  const policyOutcomes = strictestOutcomes(items.map(({ policies }) => policies))
  const { result = IMPLICIT_DENY } = items[decidingItem(items)] ?? {}
  return { ...result, policyOutcomes, items }
}

/** The results of all policies, in the order of the document, for each item. */
export function evaluateItems(input: DecisionInput): (readonly PolicyResult[])[] {
  if (policiesOf(input.organization).policies.length === 0) return [[]]
  const selection = new PolicySelection(input)
  const evaluator = new PolicyEvaluator(input, selection.policies)
  return input.facts.items.map((_, item) => selection.resultsOf(item, evaluator.evaluatePolicies(item)))
}

const IMPLICIT_DENY: StepResult = { outcome: "deny", reason: "No policies evaluated to outcome: Allow" }

function firstResult(
  steps: readonly Step[],
  input: DecisionInput,
  results: readonly PolicyResult[],
): StepResult | undefined {
  for (const step of steps) {
    const result = step(input, results)
    if (result !== undefined) return result
  }
  return undefined
}

/** Index of the item that decides the request: the first with the strictest result; -1: there is none. */
export function decidingItem(items: readonly ItemDecision[]): number {
  const found = (["deny", "undecided", "consensus", "allow"] as const).map((outcome) =>
    items.findIndex(({ result }) => result.outcome === outcome),
  )
  return found.find((index) => index >= 0) ?? -1
}

/** For a batch: each policy's strictest outcome over all items. */
export function strictestOutcomes(items: readonly (readonly PolicyResult[])[]): PolicyOutcome[] {
  const [first = [], ...others] = items
  return first.map(({ policyId, outcome }, index) => ({
    policyId,
    outcome: others.reduce((strict, results) => stricter(strict, results[index]?.outcome), outcome),
  }))
}

/** The strictest last. */
const STRICTNESS: readonly Outcome[] = [
  Outcome.ALLOW,
  Outcome.REQUIRES_CONSENSUS,
  Outcome.TIME_INACTIVE,
  Outcome.DENY_IMPLICIT,
  Outcome.ERROR,
  Outcome.DENY_EXPLICIT,
]

function stricter(one: Outcome, other: Outcome | undefined): Outcome {
  return other !== undefined && STRICTNESS.indexOf(other) > STRICTNESS.indexOf(one) ? other : one
}

/**
 * An import is sealed to a key of its submitter. No user imports for another, and neither does the root quorum. Imports of
 * secrets name no user: their keys are looked up under the submitter alone.
 */
function ownImport(input: DecisionInput): StepResult | undefined {
  if (!isImportForAnother(input)) return undefined
  return { outcome: "deny", reason: "A user imports for themselves only: the request names another user" }
}

/** The rule of ownImport, also for advice on a denial. */
export function isImportForAnother({
  activity: { action, resource },
  parameters,
  submitterId,
}: Pick<DecisionInput, "parameters" | "submitterId"> & {
  activity: Pick<DecisionInput["activity"], "action" | "resource">
}): boolean {
  if (action !== "IMPORT" || resource === "SECRET") return false
  const { userId } = parameters
  return typeof userId !== "string" || userId.toLowerCase() !== submitterId
}

function rootQuorum({ organization, approvals }: DecisionInput): StepResult | undefined {
  const approverIds = approvals.map(({ user }) => user.userId)
  return organization.isRootQuorum(approverIds) ? { outcome: "allow", by: "root-quorum" } : undefined
}

function rootQuorumOnly({ activity, organization, submitterId }: DecisionInput): StepResult | undefined {
  if (activity.authority !== Authority.ROOT_QUORUM) return undefined
  if (organization.isRoot(submitterId)) return ROOT_MEMBER_WAITS
  return { outcome: "deny", reason: "Only the root quorum can do this" }
}

/**
 * Policies do not limit the root quorum, or a bad DENY could never be removed: a member's activity waits for the other
 * members. A login does not wait: it would open an access that the DENY closed.
 */
function policyDenies(input: DecisionInput, results: readonly PolicyResult[]): StepResult | undefined {
  const policyIds = results.filter(({ denies }) => denies).map(({ policyId }) => policyId)
  if (policyIds.length === 0) return undefined
  const { activity, organization, submitterId } = input
  if (organization.isRoot(submitterId) && activity.authority !== Authority.LOGIN) return ROOT_MEMBER_WAITS
  return { outcome: "deny", reason: `The following policies denied this action: ${policyIds.join(", ")}` }
}

function policyAllows(_input: DecisionInput, results: readonly PolicyResult[]): StepResult | undefined {
  const allows = results.some(({ outcome }) => outcome === Outcome.ALLOW)
  return allows ? { outcome: "allow", by: "policy" } : undefined
}

/** A session gives a user nothing that their stamp does not. A root member's login needs no other member. */
function login(input: DecisionInput): StepResult | undefined {
  const isOwn = input.activity.authority === Authority.LOGIN && hasSubmitterApproval(input)
  return isOwn ? { outcome: "allow", by: "login" } : undefined
}

function moreMustApprove(
  { organization, submitterId }: DecisionInput,
  results: readonly PolicyResult[],
): StepResult | undefined {
  if (organization.isRoot(submitterId)) return ROOT_MEMBER_WAITS
  const waits = results.some(({ outcome }) => outcome === Outcome.REQUIRES_CONSENSUS)
  return waits
    ? {
        outcome: "consensus",
        reason: "A policy allows this with more approvals of the users that its consensus names",
      }
    : undefined
}

const ROOT_MEMBER_WAITS: StepResult = {
  outcome: "consensus",
  reason: "More members of the root quorum must approve",
}

/**
 * Needs the submitter's approval while it counts: an old submission is not a lasting permission. Activities for which this
 * right is declared act on the submitter where they name no user.
 */
function ownCredential(input: DecisionInput): StepResult | undefined {
  const { activity, parameters, submitterId } = input
  const isOwn =
    activity.authority === Authority.OWN_CREDENTIAL && (parameters.userId ?? submitterId) === submitterId
  return isOwn && hasSubmitterApproval(input) ? { outcome: "allow", by: "own-credential" } : undefined
}

/** Unknown is not no: the request is refused by name, not denied. */
function policyUndecided(_input: DecisionInput, results: readonly PolicyResult[]): StepResult | undefined {
  const policyIds = results.filter(({ isUndecided }) => isUndecided).map(({ policyId }) => policyId)
  return policyIds.length === 0 ? undefined : { outcome: "undecided", reason: undecidedSentence(policyIds) }
}

/** Policies that a sentence names. */
const MAX_NAMED = 3

/** Says which policies take too many steps, and what to do. */
export function undecidedSentence(policyIds: readonly string[]): string {
  const named = policyIds.slice(0, MAX_NAMED).join(", ")
  const more = policyIds.length > MAX_NAMED ? ` and ${policyIds.length - MAX_NAMED} more` : ""
  const noun = policyIds.length === 1 ? "policy" : "policies"
  return `${noun} ${named}${more}: the expressions take more steps than one request allows; simplify them, or have a root user do it`
}

function hasSubmitterApproval({ approvals, submitterId }: DecisionInput): boolean {
  return approvals.some(({ user }) => user.userId === submitterId)
}
