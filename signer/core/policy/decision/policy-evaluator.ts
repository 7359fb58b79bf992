import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { evaluate, type Evaluation, lacksRoot, type RootReader } from "../expression.ts"
import { RequestFacts } from "../facts/request-facts.ts"
import { approvalFacts, timeFacts } from "../facts/approvals.ts"
import { runAtOnce, type Steps } from "../../turns/steps.ts"
import type { SearchResult } from "./consensus-search.ts"
import { type Approval, type DecisionBudgets, type DecisionInput, newBudgets } from "./decision-input.ts"
import { type KnownVoteClasses, PendingConsensus, type VoteClasses } from "./pending-consensus.ts"
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
 * - "absent": every evaluation of it reads a root that the activity does not have
 * - "exhausted": it cost too much and was stopped
 * - "error": it has no value for another reason
 */
type ExpressionResult = "true" | "false" | "absent" | "exhausted" | "error"

/** The results of a policy's expressions that are the same for every item. */
type ApprovalResults = { readonly time: ExpressionResult; readonly consensus: ExpressionResult }

/**
 * Evaluates the policies of one decision. Each is evaluated by itself, and none is skipped because another has decided:
 * all outcomes are shown and kept. The cost of all together is bounded.
 */
export class PolicyEvaluator {
  readonly #input: DecisionInput
  readonly #budgets: DecisionBudgets
  readonly #approvals: RootReader
  readonly #time: RootReader
  readonly #results = new Map<CompiledPolicy, ApprovalResults>()
  readonly #contributing = new Map<CompiledPolicy, SearchResult>()
  readonly #voteClasses: KnownVoteClasses = new Map()
  #pending: readonly PendingByClass[] | undefined

  constructor(input: DecisionInput) {
    this.#input = input
    this.#budgets = input.budgets ?? newBudgets()
    this.#approvals = approvalFacts(input.approvals)
    this.#time = timeFacts(input.nowMs)
  }

  /** The result of every policy of the organization for one item of the activity. */
  evaluatePolicies(item: number): PolicyResult[] {
    const { policies } = policiesOf(this.#input.organization)
    return policies.map((policy) => this.#evaluatePolicy(policy, item))
  }

  /** True if an ALLOW that lacks only votes would count this further vote. */
  wouldCount(vote: Approval): boolean {
    if (this.#budgets.searches.left === 0) return false
    this.#pending ??= byClasses(
      policiesOf(this.#input.organization)
        .policies.filter((policy) => this.#lacksOnlyVotes(policy))
        .flatMap((policy) => this.#pendingConsensus(policy) ?? []),
    )
    return this.#pending.some(({ classes, all, known }) => {
      const name = classes.nameOf(vote)
      const contributes = known.get(name) ?? all.some((consensus) => consensus.wouldContribute(vote))
      known.set(name, contributes)
      return contributes
    })
  }

  /** True if an ALLOW could count this further vote if its condition held. */
  couldCount(vote: Approval): boolean {
    return policiesOf(this.#input.organization)
      .policies.filter((policy) => policy.effect === "allow" && this.#approvalResults(policy).time === "true")
      .some((policy) => this.#pendingConsensus(policy)?.wouldContribute(vote))
  }

  #evaluatePolicy(policy: CompiledPolicy, item: number): PolicyResult {
    const { policyId, effect } = policy
    const { time, consensus } = this.#approvalResults(policy)
    if (time === "false") return { policyId, outcome: Outcome.TIME_INACTIVE, denies: false }
    const condition = this.#condition(policy, item)
    const results = [time, condition, consensus]
    if (results.some((result) => result !== "true" && result !== "false"))
      return { policyId, outcome: Outcome.ERROR, denies: effect === "deny" && this.#deniesOnError(results) }
    const applies = condition === "true" && consensus === "true"
    if (effect === "deny")
      return { policyId, outcome: applies ? Outcome.DENY_EXPLICIT : Outcome.DENY_IMPLICIT, denies: applies }
    if (applies) return { policyId, outcome: Outcome.ALLOW, denies: false }
    const search = condition === "true" ? this.#hasContributingVote(policy) : "no"
    return { policyId, outcome: OUTCOME_OF_SEARCH[search], denies: false }
  }

  #approvalResults(policy: CompiledPolicy): ApprovalResults {
    const known = this.#results.get(policy)
    if (known !== undefined) return known
    const results = {
      time: this.#evaluate(policy.time, this.#time),
      consensus: this.#evaluate(policy.consensus, this.#approvals),
    }
    this.#results.set(policy, results)
    return results
  }

  #lacksOnlyVotes(policy: CompiledPolicy): boolean {
    if (policy.effect !== "allow" || this.#approvalResults(policy).time !== "true") return false
    return this.#input.facts.items.some((_, item) => this.#condition(policy, item) === "true")
  }

  #hasContributingVote(policy: CompiledPolicy): SearchResult {
    const known = this.#contributing.get(policy)
    if (known !== undefined) return known
    const result = this.#pendingConsensus(policy)?.hasContributingVote() ?? "no"
    this.#contributing.set(policy, result)
    return result
  }

  #pendingConsensus({ consensus }: CompiledPolicy): PendingConsensus | undefined {
    return typeof consensus === "string"
      ? undefined
      : new PendingConsensus(consensus, this.#input, this.#budgets.searches, this.#voteClasses)
  }

  #condition({ condition }: CompiledPolicy, item: number): ExpressionResult {
    if (typeof condition === "string") return RESULT_WITHOUT_EXPRESSION[condition]
    const { facts } = this.#input
    const result = resultOf(facts.evaluate(condition, item))
    const hasValue = result === "true" || result === "false"
    return !hasValue && lacksRoot(condition, facts.reader(item)) ? "absent" : result
  }

  #evaluate(expression: CompiledExpression, roots: RootReader): ExpressionResult {
    if (typeof expression === "string") return RESULT_WITHOUT_EXPRESSION[expression]
    return resultOf(evaluate(expression, roots, this.#budgets.approvals))
  }

  /**
   * A DENY in error is passed over: many are written for one kind of activity and err on all others. A DENY that cost too
   * much denies, since the submitter could have caused the cost. With
   * FEATURE_NAME_STRICT_DENY a DENY in error also denies, unless its condition needs a root that the request lacks.
   */
  #deniesOnError(results: readonly ExpressionResult[]): boolean {
    if (results.includes("false")) return false
    if (results.includes("exhausted")) return true
    return policiesOf(this.#input.organization).isStrict && !results.includes("absent")
  }
}

/** Consensus expressions that tell votes apart alike. `known`: true if one of them would count a vote of the class. */
type PendingByClass = {
  readonly classes: VoteClasses
  readonly all: readonly PendingConsensus[]
  readonly known: Map<string, boolean>
}

function byClasses(pending: readonly PendingConsensus[]): PendingByClass[] {
  const groups = Map.groupBy(pending, ({ classes }) => classes)
  return [...groups].map(([classes, all]) => ({ classes, all, known: new Map() }))
}

const RESULT_WITHOUT_EXPRESSION = { absent: "true", broken: "error" } as const

function resultOf(evaluation: Evaluation): ExpressionResult {
  if ("value" in evaluation) return evaluation.value ? "true" : "false"
  return evaluation.fault.reason === "budget" ? "exhausted" : "error"
}

/** A search that stays undecided within its bounds makes the policy an error. */
const OUTCOME_OF_SEARCH: Readonly<Record<SearchResult, Outcome>> = {
  yes: Outcome.REQUIRES_CONSENSUS,
  no: Outcome.DENY_IMPLICIT,
  undecided: Outcome.ERROR,
}

/**
 * True if a vote would count, for or against. A root member's vote always counts. Another user's vote counts where an
 * ALLOW lacks only votes and would count it, or lacks none and would have counted it first.
 * @param input with the approvals cast so far, without this vote
 */
export function countsVote(input: DecisionInput, vote: Approval): boolean {
  if (input.organization.isRoot(vote.user.userId)) return true
  return policiesApply(input) && new PolicyEvaluator(input).wouldCount(vote)
}

/** True if a vote could count whatever the activity's facts are, which can no longer be read. */
export function couldCountVote(input: Omit<DecisionInput, "facts">, vote: Approval): boolean {
  return (
    policiesApply(input) && new PolicyEvaluator({ ...input, facts: new RequestFacts([]) }).couldCount(vote)
  )
}

/** Users outside the root quorum who have not voted and have a credential whose vote would count. */
export function eligibleVoterIds(input: DecisionInput): string[] {
  return runAtOnce(eligibleVotersInSteps(input))
}

/** As `eligibleVoterIds`; each step is one user. */
export function* eligibleVotersInSteps(input: DecisionInput): Steps<string[]> {
  if (!policiesApply(input)) return []
  const { organization, approvals } = input
  const hasVoted = new Set(approvals.map(({ user }) => user.userId))
  const evaluator = new PolicyEvaluator(input)
  const eligible: string[] = []
  for (const user of organization.document.users) {
    const { userId } = user
    if (hasVoted.has(userId) || organization.isRoot(userId)) continue
    if (possibleVotes(user, input.nowMs).some((vote) => evaluator.wouldCount(vote))) eligible.push(userId)
    yield
  }
  return eligible
}

function policiesApply({ activity, organization }: Omit<DecisionInput, "facts">): boolean {
  return activity.authority !== Authority.ROOT_QUORUM && organization.document.policies.length > 0
}
