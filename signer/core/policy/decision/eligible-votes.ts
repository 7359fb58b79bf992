import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { runAtOnce, type Steps } from "../../turns/steps.ts"
import { RequestFacts } from "../facts/request-facts.ts"
import type { Approval, DecisionInput } from "./decision-input.ts"
import { type EligibleVoters, PolicyEvaluator, type VoteResult } from "./policy-evaluator.ts"

export const COUNTS: VoteResult = { counts: true, undecidedPolicyIds: [] }
const COUNTS_NOT: VoteResult = { counts: false, undecidedPolicyIds: [] }

/**
 * Says whether a vote would count, for or against. A root member's vote always counts. Another user's vote counts where an
 * ALLOW lacks only votes and would count it, or lacks none and would have counted it first.
 * @param input with the approvals cast so far, without this vote
 */
export function countVote(input: DecisionInput, vote: Approval): VoteResult {
  if (input.organization.isRoot(vote.user.userId)) return COUNTS
  return policiesApply(input) ? new PolicyEvaluator(input).wouldCount(vote) : COUNTS_NOT
}

/** Says whether a vote could count whatever the activity's facts are, which can no longer be read. */
export function couldCountVote(input: Omit<DecisionInput, "facts">, vote: Approval): VoteResult {
  if (!policiesApply(input)) return COUNTS_NOT
  return new PolicyEvaluator({ ...input, facts: new RequestFacts([]) }).couldCount(vote)
}

/** Users outside the root quorum who have not voted and have a credential whose vote would count. */
export function eligibleVoters(input: DecisionInput): EligibleVoters {
  return runAtOnce(eligibleVotersInSteps(input))
}

/** As `eligibleVoters`, in steps. */
export function* eligibleVotersInSteps(input: DecisionInput): Steps<EligibleVoters> {
  if (!policiesApply(input)) return { userIds: [], undecidedUserIds: [] }
  return yield* new PolicyEvaluator(input).findVoters()
}

/** Users who may vote. Includes those whose right could not be decided within the policies' steps. */
export function possibleVoterIds({ userIds, undecidedUserIds }: EligibleVoters): string[] {
  return [...userIds, ...undecidedUserIds]
}

function policiesApply({ activity, organization }: Omit<DecisionInput, "facts">): boolean {
  return activity.authority !== Authority.ROOT_QUORUM && organization.document.policies.length > 0
}
