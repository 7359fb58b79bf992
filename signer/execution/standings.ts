import type { Vote } from "../../proto/gen/countersign/state/v1/activity_pb.ts"
import { mfaStanding, type MfaStanding } from "../policy/mfa.ts"
import type { Approval, Question } from "../policy/question.ts"

/**
 * How far those who have approved are with what their MFA policies demand, and who submitted, be it that his submission
 * counts no more; of the others nothing is demanded.
 */
export function standingsOf(question: Question): MfaStanding[] {
  const { facts } = question
  return thoseAsked(question).flatMap(({ user, credentials }) => mfaStanding(user, credentials, facts) ?? [])
}

/** The approvals that count, before them the submitter with nothing where his does not. */
function thoseAsked({ organization, submitterId, approvals }: Question): readonly Approval[] {
  const submitter = organization.user(submitterId)
  if (submitter === undefined || approvals.some(({ user }) => user.userId === submitterId)) return approvals
  return [{ user: submitter, credentials: [] }, ...approvals]
}

/** Whether a user has yet to prove something. */
export function isOpen(standings: readonly MfaStanding[], userId: string): boolean {
  return standings.some((standing) => standing.userId === userId && !standing.isMet)
}

/**
 * The question with those approvals alone that count: of whom nothing is left to prove, each with the last of his
 * credentials, as many as it takes him to prove himself. Who votes again because the key of his vote is gone must not come
 * to count for two when it comes back.
 */
export function proven(question: Question, standings: readonly MfaStanding[]): Question {
  const approvals = question.approvals
    .filter(({ user }) => !isOpen(standings, user.userId))
    .map((approval) => {
      const { user, credentials } = approval
      const most = credentialsNeeded(standings, user.userId)
      return credentials.length <= most ? approval : { user, credentials: credentials.slice(-most) }
    })
  return { ...question, approvals }
}

/** The same of the votes themselves, all of which approve. */
export function provenApprovals(votes: readonly Vote[], standings: readonly MfaStanding[]): Vote[] {
  const own = Map.groupBy(votes, ({ userId }) => userId)
  const counted = new Set(
    [...own].flatMap(([userId, all]) =>
      isOpen(standings, userId) ? [] : all.slice(-credentialsNeeded(standings, userId)),
    ),
  )
  return votes.filter((vote) => counted.has(vote))
}

/**
 * By how many credentials a user comes to approve: one, and where he has more to prove one more for each step, for that
 * of his first stamp need not be among those demanded.
 */
function credentialsNeeded(standings: readonly MfaStanding[], userId: string): number {
  return 1 + (standings.find((standing) => standing.userId === userId)?.policy.steps.length ?? 0)
}
