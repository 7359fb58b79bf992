import type { PendingActivity } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import type { Credential, DecisionInput } from "../../../core/policy/decision/decision-input.ts"
import { countsVote } from "../../../core/policy/decision/voters.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { Case } from "../steps/authenticated-request.ts"
import { approvalOf } from "../state/credential-owner.ts"
import { makeQuestion } from "../steps/decision-input.ts"
import { readBody } from "../state/request.ts"
import { isOpen, proven, standingsOf, standingsOfOne } from "./mfa-progress.ts"
import { approvalsOf, submitterOf } from "./votes.ts"

/** The waiting activity, with the votes that count and by the rules of this moment. */
export function questionOf(pending: PendingActivity, current: Case, deps: ExecutionDeps): DecisionInput {
  const { organization, nowMs } = current
  const { activity, parameters } = readBody(pending.body)
  const submitterId = submitterOf(pending)
  const approvals = approvalsOf(pending, current)
  return makeQuestion({ organization, activity, parameters, submitterId, approvals, nowMs }, deps)
}

/**
 * A root member's vote counts, and his rejection ends what cannot be decided any more.
 *
 * @throws VOTE_NOT_COUNTED, what makeQuestion throws
 */
export function requireCounted(pending: PendingActivity, current: Case, deps: ExecutionDeps): void {
  const { organization, holder } = current
  const { userId } = holder.user
  if (organization.isRoot(userId)) return
  const question = questionOf(pending, current, deps)
  if (countsVote(proven(question, standingsOf(question)), approvalOf(holder))) return
  throw refuse("VOTE_NOT_COUNTED", `the vote of user ${userId} does not count for this activity`)
}

/** Whether a user who has approved shows one more of the things that his MFA policy demands. */
export function provesMore(pending: PendingActivity, current: Case, deps: ExecutionDeps): boolean {
  const { holder } = current
  const { user } = holder
  if (user.mfaPolicies.length === 0) return false
  const own = approvalsOf(pending, current).find((approval) => approval.user.userId === user.userId)
  if (own === undefined) return false
  const question = questionOf(pending, current, deps)
  const added = approvalOf(holder).credentials.filter(
    ({ id }) => !own.credentials.some((one) => one.id === id),
  )
  const metBy = (credentials: readonly Credential[]) =>
    standingsOfOne(question, { user, credentials }).reduce((sum, { metSteps }) => sum + metSteps, 0)
  return metBy([...own.credentials, ...added]) > metBy(own.credentials)
}

/**
 * First the submitter proves who he is, then others approve: whose wish it is must be certain. Nor does it become so by
 * his submission counting no more, for its age or because its key was taken away.
 *
 * @throws SUBMITTER_GONE, AUTHENTICATION_AWAITED, what makeQuestion throws
 */
export function requireSubmitterProven(pending: PendingActivity, current: Case, deps: ExecutionDeps): void {
  const { organization, holder } = current
  const submitterId = submitterOf(pending)
  if (holder.user.userId === submitterId) return
  if (organization.user(submitterId) === undefined) {
    throw refuse(
      "SUBMITTER_GONE",
      `user ${submitterId}, who submitted the activity, is no more: submit it anew`,
    )
  }
  if (!isOpen(standingsOf(questionOf(pending, current, deps)), submitterId)) return
  const sentence = `user ${submitterId}, who submitted the activity, has yet to prove what his MFA policy demands`
  throw refuse("AUTHENTICATION_AWAITED", sentence)
}
