import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { possibleVotes } from "./credentials.ts"
import type { Approval, DecisionInput } from "./decision-input.ts"
import { PolicyEvaluator } from "./policy-evaluator.ts"

/**
 * Whether a vote would count, for or against. A root member's always does; another user's does where an ALLOW lacks only
 * votes and counts it.
 *
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
