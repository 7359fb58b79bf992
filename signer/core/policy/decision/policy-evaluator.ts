import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { isSteps, runAtOnce, type Steps } from "../../turns/steps.ts"
import { type Compiled, lacksRoot } from "../expression.ts"
import { inFairShares } from "../fair-shares.ts"
import { type Approval, type DecisionBudgets, type DecisionInput, newBudgets } from "./decision-input.ts"
import {
  compiledOf,
  evaluateApprovals,
  type ExpressionResult,
  RESULT_WITHOUT_EXPRESSION,
  resultOf,
} from "./expression-results.ts"
import { PendingConsensus, type SearchResult } from "./pending-consensus.ts"
import { type CompiledExpression, type CompiledPolicy, policiesOf } from "./policy-set.ts"
import { Voters } from "./voters.ts"

export type PolicyOutcome = { readonly policyId: string; readonly outcome: Outcome }

/** The outcome of a denial: explicit where a policy denied, implicit where nothing allowed. */
export function outcomeOfDenial(policyOutcomes: readonly PolicyOutcome[]) {
  const isExplicit = policyOutcomes.some(({ outcome }) => outcome === Outcome.DENY_EXPLICIT)
  return isExplicit ? Outcome.DENY_EXPLICIT : Outcome.DENY_IMPLICIT
}

/**
 * - `denies`: the policy is a DENY that applies, or one whose error counts as a denial
 * - `isUndecided`: an ALLOW that takes more steps than it has
 */
export type PolicyResult = PolicyOutcome & { readonly denies: boolean; readonly isUndecided: boolean }

/** Whether a policy applies to the request, its consensus aside. "unknown": its expressions cost too much. */
type Standing = "applies" | "fails" | "unknown"

/** Says whether a vote counts. */
export type VoteResult = {
  readonly counts: boolean
  /** Policies that may count the vote and take more steps than they have; empty if another one counts it. */
  readonly undecidedPolicyIds: readonly string[]
}

/** Users outside the root quorum whose vote would count next. */
export type EligibleVoters = {
  readonly userIds: readonly string[]
  /** Users for whom the policies cannot say it within their steps. */
  readonly undecidedUserIds: readonly string[]
}

/**
 * Evaluates policies of one decision. Each is evaluated by itself, and none is skipped because another has decided:
 * all outcomes are shown and kept. The cost of all together is bounded, and each policy has a fair share of it. So no
 * outcome depends on the order of policies.
 */
export class PolicyEvaluator {
  readonly #input: DecisionInput
  readonly #budgets: DecisionBudgets
  readonly #policies: readonly CompiledPolicy[]
  readonly #voters: Voters
  readonly #approvalResults: ReadonlyMap<Compiled, ExpressionResult>
  #contributions: ReadonlyMap<Compiled, SearchResult> | undefined

  /** @param policies some of the organization's; absent: all of them */
  constructor(input: DecisionInput, policies = policiesOf(input.organization).policies) {
    this.#input = input
    this.#budgets = input.budgets ?? newBudgets()
    this.#policies = policies
    this.#voters = new Voters(input.organization.document, input.nowMs)
    this.#approvalResults = evaluateApprovals(input, this.#policies, this.#budgets.approvals)
  }

  /** Evaluates the conditions of the policies that are in force. Each step is one evaluation. */
  *evaluateConditions(): Steps<void> {
    const inForce = this.#policies.filter(({ time }) => this.#approvalResult(time) !== "false")
    yield* this.#input.facts.policies.evaluateAll(inForce.flatMap(({ condition }) => compiledOf(condition)))
  }

  /** The result of every policy for one item of the activity. */
  evaluatePolicies(item: number): PolicyResult[] {
    runAtOnce(this.evaluateConditions())
    this.#contributions ??= this.#findContributions()
    return this.#policies.map((policy) => this.#evaluatePolicy(policy, item))
  }

  /** Says whether an ALLOW that lacks only votes would count this further vote. */
  wouldCount(vote: Approval): VoteResult {
    runAtOnce(this.evaluateConditions())
    return this.#countVote(vote, (policy) => this.#standing(policy))
  }

  /** Says whether an ALLOW could count this further vote if its condition held. */
  couldCount(vote: Approval): VoteResult {
    return this.#countVote(vote, ({ time }) => STANDING[this.#approvalResult(time)])
  }

  /** Finds the users whose vote would count. Each step is one expression. */
  *findVoters(): Steps<EligibleVoters> {
    yield* this.evaluateConditions()
    const { organization, approvals } = this.#input
    const { users } = organization.document
    const voted = new Set(approvals.map(({ user }) => user.userId))
    const isOpen = ({ userId }: User) => !voted.has(userId) && !organization.isRoot(userId)
    const open = { applies: new Set(users.filter(isOpen)), unknown: new Set(users.filter(isOpen)) }
    const found = { applies: new Set<string>(), unknown: new Set<string>() }
    const standings = this.#consensusStandings((policy) => this.#standing(policy))
    const undecided = yield* this.#inShares(standings.keys(), function* find(pending, consensus) {
      const standing = standings.get(consensus) ?? "unknown"
      return yield* pending.findContributors(open[standing], ({ userId }) => found[standing].add(userId))
    })
    const userIds = users.map(({ userId }) => userId)
    const isUnknown = (userId: string) =>
      !found.applies.has(userId) && (undecided.length > 0 || found.unknown.has(userId))
    return {
      userIds: userIds.filter((userId) => found.applies.has(userId)),
      undecidedUserIds: users
        .filter((user) => isOpen(user) && isUnknown(user.userId))
        .map(({ userId }) => userId),
    }
  }

  #countVote(vote: Approval, standingOf: (policy: CompiledPolicy) => Standing): VoteResult {
    const standings = this.#consensusStandings(standingOf)
    let counts = false
    const unknown = new Set<Compiled>()
    const undecided = runAtOnce(
      this.#inShares(standings.keys(), (pending, consensus) => {
        const result = pending.wouldContribute(vote)
        if (result === "yes" && standings.get(consensus) === "applies") counts = true
        else if (result === "yes") unknown.add(consensus)
        return result
      }),
    )
    if (counts) return { counts, undecidedPolicyIds: [] }
    for (const consensus of undecided) unknown.add(consensus)
    const isUnknown = (policy: CompiledPolicy) =>
      standingOf(policy) !== "fails" &&
      compiledOf(policy.consensus).some((consensus) => unknown.has(consensus))
    return {
      counts,
      undecidedPolicyIds: this.#allows()
        .filter(isUnknown)
        .map(({ policyId }) => policyId),
    }
  }

  #evaluatePolicy(policy: CompiledPolicy, item: number): PolicyResult {
    const { policyId, effect } = policy
    const [time, consensus] = [this.#approvalResult(policy.time), this.#approvalResult(policy.consensus)]
    const result = { policyId, denies: false, isUndecided: false }
    if (time === "false") return { ...result, outcome: Outcome.TIME_INACTIVE }
    const condition = this.#condition(policy, item)
    const results = [time, condition, consensus]
    if (results.some((one) => one !== "true" && one !== "false")) {
      const denies = effect === "deny" && this.#deniesOnError(results)
      const isUndecided = effect === "allow" && this.#mayAllow(policy, results)
      return { policyId, outcome: Outcome.ERROR, denies, isUndecided }
    }
    const applies = condition === "true" && consensus === "true"
    if (effect === "deny")
      return { ...result, outcome: applies ? Outcome.DENY_EXPLICIT : Outcome.DENY_IMPLICIT, denies: applies }
    if (applies) return { ...result, outcome: Outcome.ALLOW }
    const contribution = condition === "true" ? this.#contribution(policy) : "no"
    return { ...result, outcome: OUTCOME_OF_SEARCH[contribution], isUndecided: contribution === "undecided" }
  }

  /** True if an ALLOW whose expressions cost too much may allow the request, or wait for approvals. */
  #mayAllow(policy: CompiledPolicy, results: readonly ExpressionResult[]): boolean {
    const [time, condition, consensus] = results
    const isKnown = [time, condition].some((one) => one !== "true" && one !== "exhausted")
    if (isKnown || consensus === "error" || consensus === "absent") return false
    return consensus !== "false" || this.#contribution(policy) !== "no"
  }

  /** Says, for each consensus that is not met, whether an approval given contributes to it. */
  #findContributions(): ReadonlyMap<Compiled, SearchResult> {
    const found = new Map<Compiled, SearchResult>()
    const standings = this.#consensusStandings((policy) => this.#standing(policy))
    const unmet = [...standings.keys()].filter(
      (consensus) => this.#approvalResults.get(consensus) === "false",
    )
    const undecided = runAtOnce(
      this.#inShares(unmet, (pending, consensus) => {
        const result = pending.hasContributingVote()
        found.set(consensus, result)
        return result
      }),
    )
    for (const consensus of undecided) found.set(consensus, "undecided")
    return found
  }

  #contribution({ consensus }: CompiledPolicy): SearchResult {
    return typeof consensus === "string" ? "no" : (this.#contributions?.get(consensus) ?? "no")
  }

  /** Runs a search on each consensus in fair shares, and returns those that stay undecided. */
  *#inShares(
    consensus: Iterable<Compiled>,
    search: (pending: PendingConsensus, consensus: Compiled) => SearchResult | Steps<SearchResult>,
  ): Steps<readonly Compiled[]> {
    const [{ approvals }, voters] = [this.#input, this.#voters]
    return yield* inFairShares(consensus, this.#budgets.searches, function* run(one, share) {
      const result = search(new PendingConsensus(one, approvals, voters, share), one)
      return (isSteps(result) ? yield* result : result) !== "undecided"
    })
  }

  /** Each consensus of an ALLOW that may lack only votes, with the best standing of its policies. */
  #consensusStandings(
    standingOf: (policy: CompiledPolicy) => Standing,
  ): Map<Compiled, Exclude<Standing, "fails">> {
    const standings = new Map<Compiled, Exclude<Standing, "fails">>()
    for (const policy of this.#allows()) {
      const standing = standingOf(policy)
      if (standing === "fails") continue
      for (const consensus of compiledOf(policy.consensus))
        if (standings.get(consensus) !== "applies") standings.set(consensus, standing)
    }
    return standings
  }

  #allows(): readonly CompiledPolicy[] {
    return this.#policies.filter(({ effect }) => effect === "allow")
  }

  #standing(policy: CompiledPolicy): Standing {
    const time = STANDING[this.#approvalResult(policy.time)]
    if (time === "fails") return time
    const ofItems = this.#input.facts.items.map((_, item) => STANDING[this.#condition(policy, item)])
    if (ofItems.includes("applies")) return time
    return ofItems.includes("unknown") ? "unknown" : "fails"
  }

  #condition({ condition }: CompiledPolicy, item: number): ExpressionResult {
    if (typeof condition === "string") return RESULT_WITHOUT_EXPRESSION[condition]
    const { facts } = this.#input
    const result = resultOf(facts.policies.evaluate(condition, item))
    const hasValue = result === "true" || result === "false"
    return !hasValue && lacksRoot(condition, facts.reader(item)) ? "absent" : result
  }

  #approvalResult(expression: CompiledExpression): ExpressionResult {
    if (typeof expression === "string") return RESULT_WITHOUT_EXPRESSION[expression]
    return this.#approvalResults.get(expression) ?? "exhausted"
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

const STANDING: Readonly<Record<ExpressionResult, Standing>> = {
  true: "applies",
  false: "fails",
  absent: "fails",
  error: "fails",
  exhausted: "unknown",
}

/** A search that stays undecided within its bounds makes the policy an error. */
const OUTCOME_OF_SEARCH: Readonly<Record<SearchResult, Outcome>> = {
  yes: Outcome.REQUIRES_CONSENSUS,
  no: Outcome.DENY_IMPLICIT,
  undecided: Outcome.ERROR,
}
