import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { possibleVotes } from "./credentials.ts"
import type { Approval, Question } from "./question.ts"
import { Court } from "./verdicts.ts"

/**
 * Whether a vote would count, for or against: a root member's always, and where policies have a say that of a user
 * whom an ALLOW counts that lacks nothing but votes.
 *
 * @param question with the approvals that there are without this vote
 */
export function countsVote(question: Question, vote: Approval): boolean {
  if (question.organization.isRoot(vote.user.userId)) return true
  return policiesHaveSay(question) && new Court(question).counts(vote)
}

/** Users beside the root quorum who have not voted and whose vote, by one credential or another, would count. */
export function votersOf(question: Question): string[] {
  if (!policiesHaveSay(question)) return []
  const { organization, approvals } = question
  const hasVoted = new Set(approvals.map(({ user }) => user.userId))
  const court = new Court(question)
  return organization.document.users
    .filter(({ userId }) => !hasVoted.has(userId) && !organization.isRoot(userId))
    .filter((user) => possibleVotes(user).some((vote) => court.counts(vote)))
    .map(({ userId }) => userId)
}

function policiesHaveSay({ activity, organization }: Question): boolean {
  return activity.authority !== Authority.ROOT_QUORUM && organization.document.policies.length > 0
}
