import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Budget, evaluate, type RootReader } from "../expression.ts"
import { approvalFacts, timeFacts } from "../facts/index.ts"
import type { SearchResult } from "./consensus-search.ts"
import type { Approval, DecisionInput } from "./decision-input.ts"
import { PendingConsensus } from "./pending-consensus.ts"
import { type CompiledExpression, type CompiledPolicy, policiesOf } from "./policy-set.ts"
import { possibleVotes } from "./credentials.ts"
import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"

export type PolicyOutcome = { readonly policyId: string; readonly outcome: Outcome }

/** The outcome of a denial: explicit where a policy denied, implicit where nothing allowed. */
export function outcomeOfDenial(policyOutcomes: readonly PolicyOutcome[]) {
  const isExplicit = policyOutcomes.some(({ outcome }) => outcome === Outcome.DENY_EXPLICIT)
  return isExplicit ? Outcome.DENY_EXPLICIT : Outcome.DENY_IMPLICIT
}

/** `denies`: the policy is a DENY that applies, or one whose error counts as a denial. */
export type PolicyResult = PolicyOutcome & { readonly denies: boolean }

/**
 * The result of one expression.
 *
 * - "absent": it reads a root that the activity does not have
 * - "exhausted": it cost too much and was stopped
 * - "error": it has no value for another reason
 */
type ExpressionResult = "true" | "false" | "absent" | "exhausted" | "error"

/** Steps of all searches for votes that would complete a consensus: a tenth of a second at most. */
const MAX_SEARCH_STEPS = 200_000

/**
 * Evaluates the policies of one decision. Each is evaluated by itself, and none is skipped because another has decided:
 * all outcomes are shown and kept. The cost of all together is bounded.
 */
export class PolicyEvaluator {
  readonly #input: DecisionInput
  readonly #budget = new Budget()
  /** A budget of its own: searches must not use up the steps of policies that deny. */
  readonly #searchBudget = new Budget(MAX_SEARCH_STEPS)
  readonly #approvals: RootReader
  readonly #time: RootReader
  #pending: readonly PendingConsensus[] | undefined

  constructor(input: DecisionInput) {
    this.#input = input
    this.#approvals = approvalFacts(input.approvals)
    this.#time = timeFacts(input.nowMs)
  }

  /** The result of every policy of the organization for one item of the activity. */
  evaluatePolicies(facts: RootReader): PolicyResult[] {
    const { policies } = policiesOf(this.#input.organization)
    return policies.map((policy) => this.#evaluatePolicy(policy, facts))
  }

  /** Whether an ALLOW that lacks only votes would count this further vote. */
  wouldCount(vote: Approval): boolean {
    this.#pending ??= policiesOf(this.#input.organization)
      .policies.filter((policy) => this.#lacksOnlyVotes(policy))
      .flatMap((policy) => this.#consensus(policy) ?? [])
    return this.#pending.some((consensus) => consensus.wouldContribute(vote))
  }

  #evaluatePolicy(policy: CompiledPolicy, facts: RootReader): PolicyResult {
    const { policyId, effect } = policy
    const time = this.#evaluate(policy.time, this.#time)
    if (time === "false") return { policyId, outcome: Outcome.TIME_INACTIVE, denies: false }
    const condition = this.#evaluate(policy.condition, facts)
    const consensus = this.#evaluate(policy.consensus, this.#approvals)
    const results = [time, condition, consensus]
    if (results.some((result) => result !== "true" && result !== "false"))
      return { policyId, outcome: Outcome.ERROR, denies: effect === "deny" && this.#deniesOnError(results) }
    const applies = condition === "true" && consensus === "true"
    if (effect === "deny")
      return { policyId, outcome: applies ? Outcome.DENY_EXPLICIT : Outcome.DENY_IMPLICIT, denies: applies }
    if (applies) return { policyId, outcome: Outcome.ALLOW, denies: false }
    const search = condition === "true" ? this.#consensus(policy)?.hasContributingVote() : undefined
    return { policyId, outcome: OUTCOME_OF_SEARCH[search ?? "no"], denies: false }
  }

  #lacksOnlyVotes({ effect, time, condition }: CompiledPolicy): boolean {
    if (effect !== "allow" || this.#evaluate(time, this.#time) !== "true") return false
    return this.#input.facts.some((facts) => this.#evaluate(condition, facts) === "true")
  }

  #consensus({ consensus }: CompiledPolicy): PendingConsensus | undefined {
    return typeof consensus === "string"
      ? undefined
      : new PendingConsensus(consensus, this.#input, this.#searchBudget)
  }

  #evaluate(expression: CompiledExpression, facts: RootReader): ExpressionResult {
    if (expression === "absent") return "true"
    if (expression === "broken") return "error"
    const evaluation = evaluate(expression, facts, this.#budget)
    if ("value" in evaluation) return evaluation.value ? "true" : "false"
    const { reason } = evaluation.fault
    if (reason === "missing-root") return "absent"
    return reason === "budget" ? "exhausted" : "error"
  }

  /**
   * A DENY in error is passed over: many are written for one kind of activity and err on all others. A DENY that cost too
   * much denies, since the submitter could have caused the cost. With
   * FEATURE_NAME_STRICT_DENY a DENY in error also denies if it reads only roots that exist.
   */
  #deniesOnError(results: readonly ExpressionResult[]): boolean {
    if (results.includes("false")) return false
    if (results.includes("exhausted")) return true
    return policiesOf(this.#input.organization).isStrict && !results.includes("absent")
  }
}

/** A search that stays undecided within its bounds makes the policy an error. */
const OUTCOME_OF_SEARCH: Readonly<Record<SearchResult, Outcome>> = {
  yes: Outcome.REQUIRES_CONSENSUS,
  no: Outcome.DENY_IMPLICIT,
  undecided: Outcome.ERROR,
}

/**
 * Whether a vote would count, for or against. A root member's vote always counts. Another user's vote counts where an
 * ALLOW lacks only votes and would count it.
 * @param input with the approvals cast so far, without this vote
 */
export function countsVote(input: DecisionInput, vote: Approval): boolean {
  if (input.organization.isRoot(vote.user.userId)) return true
  return policiesApply(input) && new PolicyEvaluator(input).wouldCount(vote)
}

/** Users outside the root quorum who have not voted and have a credential whose vote would count. */
export function eligibleVoterIds(input: DecisionInput): string[] {
  if (!policiesApply(input)) return []
  const { organization, approvals } = input
  const hasVoted = new Set(approvals.map(({ user }) => user.userId))
  const evaluator = new PolicyEvaluator(input)
  return organization.document.users
    .filter(({ userId }) => !hasVoted.has(userId) && !organization.isRoot(userId))
    .filter((user) => possibleVotes(user).some((vote) => evaluator.wouldCount(vote)))
    .map(({ userId }) => userId)
}

function policiesApply({ activity, organization }: DecisionInput): boolean {
  return activity.authority !== Authority.ROOT_QUORUM && organization.document.policies.length > 0
}
