import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Vote } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import type { MfaPolicy, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { decide } from "../../../core/policy/decision/decide.ts"
import { matchingMfaPolicy, mfaProgress, type MfaProgress } from "../../../core/policy/decision/mfa.ts"
import type { Approval, DecisionInput } from "../../../core/policy/decision/decision-input.ts"

/**
 * How far those who have approved are with what their MFA policies demand, and who submitted, be it that his submission
 * counts no more; of the others nothing is demanded.
 */
export function standingsOf(question: DecisionInput): MfaProgress[] {
  return thoseAsked(question).flatMap((approval) => standingsOfOne(question, approval))
}

/** How far one user is, by the credentials of his approval. */
export function standingsOfOne(question: DecisionInput, { user, credentials }: Approval): MfaProgress[] {
  return demandsOn(user, question).map((policy) => mfaProgress(user, policy, credentials))
}

/**
 * What a user has to prove: what the MFA policy says that is about the activity. Where none is, he may not for all that
 * make himself the credentials that they ask for, be it that he has one of those: to add to his own he meets all of them.
 */
function demandsOn(user: User, question: DecisionInput): readonly MfaPolicy[] {
  if (user.mfaPolicies.length === 0) return []
  const policy = matchingMfaPolicy(user, question.facts)
  if (policy !== undefined) return [policy]
  return addsByDefault(user, question) ? user.mfaPolicies : []
}

/**
 * Whether a user adds to his own credentials, and neither a policy nor the root quorum allows it. It is judged as if he
 * alone approved, also where his approval counts no more: neither time nor who else approves ends what he has to prove.
 */
function addsByDefault(user: User, question: DecisionInput): boolean {
  const { activity, submitterId, approvals } = question
  const isOwn = activity.authority === Authority.OWN_CREDENTIAL && user.userId === submitterId
  if (!isOwn || activity.action !== "CREATE") return false
  const own = approvals.find((approval) => approval.user.userId === submitterId) ?? { user, credentials: [] }
  const decision = decide({ ...question, approvals: [own] })
  return decision.outcome === "allow" && decision.by === "own-credential"
}

/** The approvals that count, before them the submitter with nothing where his does not. */
function thoseAsked({ organization, submitterId, approvals }: DecisionInput): readonly Approval[] {
  const submitter = organization.user(submitterId)
  if (submitter === undefined || approvals.some(({ user }) => user.userId === submitterId)) return approvals
  return [{ user: submitter, credentials: [] }, ...approvals]
}

/** Whether a user has yet to prove something. */
export function isOpen(standings: readonly MfaProgress[], userId: string): boolean {
  return standings.some((standing) => standing.userId === userId && !standing.isMet)
}

/**
 * The question with those approvals alone that count: of whom nothing is left to prove, each with the last of his
 * credentials, as many as it takes him to prove himself. Who votes again because the key of his vote is gone must not come
 * to count for two when it comes back.
 */
export function proven(question: DecisionInput, standings: readonly MfaProgress[]): DecisionInput {
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
export function provenApprovals(votes: readonly Vote[], standings: readonly MfaProgress[]): Vote[] {
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
function credentialsNeeded(standings: readonly MfaProgress[], userId: string): number {
  const own = standings.filter((standing) => standing.userId === userId)
  return own.reduce((sum, { policy }) => sum + policy.steps.length, 1)
}
