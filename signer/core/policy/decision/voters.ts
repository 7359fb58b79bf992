import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { possibleVotes } from "./credentials.ts"
import type { Approval, DecisionInput } from "./decision-input.ts"
import { Court } from "./verdicts.ts"

/**
 * Whether a vote would count, for or against: a root member's always, and where policies have a say that of a user
 * whom an ALLOW counts that lacks nothing but votes.
 *
 * @param input with the approvals that there are without this vote
 */
export function countsVote(input: DecisionInput, vote: Approval): boolean {
  if (input.organization.isRoot(vote.user.userId)) return true
  return policiesHaveSay(input) && new Court(input).counts(vote)
}

/** Users beside the root quorum who have not voted and whose vote, by one credential or another, would count. */
export function votersOf(input: DecisionInput): string[] {
  if (!policiesHaveSay(input)) return []
  const { organization, approvals } = input
  const hasVoted = new Set(approvals.map(({ user }) => user.userId))
  const court = new Court(input)
  return organization.document.users
    .filter(({ userId }) => !hasVoted.has(userId) && !organization.isRoot(userId))
    .filter((user) => possibleVotes(user).some((vote) => court.counts(vote)))
    .map(({ userId }) => userId)
}

function policiesHaveSay({ activity, organization }: DecisionInput): boolean {
  return activity.authority !== Authority.ROOT_QUORUM && organization.document.policies.length > 0
}
