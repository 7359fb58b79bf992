import type { Credential } from "../../../core/policy/decision/decision-input.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { undecidedSentence } from "../../../core/policy/decision/decide.ts"
import {
  COUNTS,
  countVote,
  couldCountVote,
  eligibleVoters,
} from "../../../core/policy/decision/eligible-votes.ts"
import type { VoteResult } from "../../../core/policy/decision/policy-evaluator.ts"
import { refuse } from "../../../core/refusal.ts"
import { approvalOf } from "../state/credential-owner.ts"
import type { AuthenticatedRequest } from "../state/request.ts"
import { countableApprovals, isMfaPending, mfaProgressOfUser } from "./mfa-progress.ts"
import type { PendingRequest } from "./pending.ts"

/**
 * Refuses a rejection that the user may not give.
 * @throws VOTE_REPEATED, VOTE_NOT_COUNTED, POLICY_UNDECIDED, the codes of requireNewBody and of makeDecisionInput
 */
export function requireMayReject(pending: PendingRequest, current: AuthenticatedRequest): void {
  const { userId } = current.owner.user
  if (pending.hasVoted(userId)) throw repeatedVote(userId)
  requireNewBody(pending, current)
  requireCounted(pending, current)
}

/**
 * Refuses an approval that the user may not give. "repeated": the user has approved before, and their vote still
 * counts. It adds no vote, but completes the activity if changed rules are satisfied by the earlier votes.
 * @throws SUBMITTER_GONE, AUTHENTICATION_AWAITED, the codes of requireMayReject
 */
export function requireMayApprove(
  pending: PendingRequest,
  current: AuthenticatedRequest,
): "counted" | "repeated" {
  const { userId } = current.owner.user
  const hasVoted = pending.hasVoted(userId)
  const isAdvancingMfa = hasVoted && pending.failure === undefined && advancesMfa(pending, current)
  const { credential } = current.request.stamp
  requireNewBody(pending, current, isAdvancingMfa ? credential : undefined)
  if (hasVoted && !isAdvancingMfa && !resultOf(pending, current).counts) throw repeatedVote(userId)
  if (!hasVoted) requireCounted(pending, current)
  if (pending.failure === undefined) requireSubmitterProven(pending, current)
  return hasVoted && !isAdvancingMfa ? "repeated" : "counted"
}

export function repeatedVote(userId: string) {
  return refuse("VOTE_REPEATED", `user ${userId} has already voted on this activity`)
}

/**
 * A user stamps a new body for each vote. An attacker could keep an old body that is still live, and cast the vote in
 * the user's place. To satisfy an MFA policy each credential may stamp the same body.
 * @param credential looks only at votes with this credential
 * @throws VOTE_REPEATED, ACTIVITY_REPLAYED, REQUEST_STALE
 */
function requireNewBody(
  pending: PendingRequest,
  { request, owner }: AuthenticatedRequest,
  credential?: string,
): void {
  const { userId } = owner.user
  const { votes, body } = pending.stored
  const own = votes.filter(
    (vote) => vote.userId === userId && (vote.stamp?.credential === credential || !credential),
  )
  const bodies = own.map(({ message }) => (message.length > 0 ? message : body))
  if (bodies.some((voted) => Buffer.compare(voted, request.body) === 0)) {
    if (pending.hasVoted(userId)) throw repeatedVote(userId)
    throw refuse("ACTIVITY_REPLAYED", "this vote no longer counts: stamp a new request to vote again")
  }
  const isBeforeLapse = votes.some(({ lapsedAtMs }) => BigInt(request.timestampMs) < lapsedAtMs)
  if (isBeforeLapse) {
    const sentence = "the votes have lapsed since this request was stamped: stamp a new one"
    throw refuse("REQUEST_STALE", sentence, { field: "timestampMs" })
  }
}

/** @throws VOTE_NOT_COUNTED, POLICY_UNDECIDED, the codes of makeDecisionInput */
function requireCounted(pending: PendingRequest, current: AuthenticatedRequest): void {
  const { counts, undecidedPolicyIds } = resultOf(pending, current)
  if (counts) return
  if (undecidedPolicyIds.length > 0) throw refuse("POLICY_UNDECIDED", undecidedSentence(undecidedPolicyIds))
  const { organization, owner } = current
  const voters = pending.failure === undefined ? namesOfVoters(pending, organization) : []
  const counted = ["root members", ...voters].join(", ")
  const sentence = `the vote of user ${owner.user.userId} does not count for this activity; those of ${counted} do`
  throw refuse("VOTE_NOT_COUNTED", sentence)
}

/** Users that a refusal names. */
const MAX_NAMED = 3

/** Users outside the root quorum whose approval would count: `alice (id)`. */
function namesOfVoters(pending: PendingRequest, organization: Organization): string[] {
  const { userIds: ids } = eligibleVoters(countableApprovals(pending.input, pending.mfaProgress))
  const named = ids.slice(0, MAX_NAMED).map((id) => `${organization.user(id)!.name} (${id})`)
  return ids.length > MAX_NAMED ? [...named, `${ids.length - MAX_NAMED} more users`] : named
}

/**
 * The vote of a root member always counts: their rejection ends an activity that can no longer be decided. The
 * submitter's counts too: every decision needs it.
 */
function resultOf(pending: PendingRequest, { organization, owner }: AuthenticatedRequest): VoteResult {
  const { userId } = owner.user
  if (organization.isRoot(userId) || userId === pending.submitterId) return COUNTS
  const vote = approvalOf(owner)
  return pending.failure === undefined
    ? countVote(countableApprovals(pending.input, pending.mfaProgress), vote)
    : couldCountVote(pending.inputWithoutFacts, vote)
}

/** True if an approver's new credential meets one more step of an MFA policy that they must satisfy. */
function advancesMfa(pending: PendingRequest, { owner }: AuthenticatedRequest): boolean {
  const { user } = owner
  if (user.mfaPolicies.length === 0) return false
  const { approvals, input } = pending
  const earlier = approvals
    .filter((approval) => approval.user.userId === user.userId)
    .flatMap(({ credentials }) => credentials)
  const added = approvalOf(owner).credentials.filter(
    (credential) => !earlier.some((one) => isSame(one, credential)),
  )
  const metSteps = (credentials: readonly Credential[]) =>
    mfaProgressOfUser(input, { user, credentials }).reduce((sum, progress) => sum + progress.metSteps, 0)
  return metSteps([...earlier, ...added]) > metSteps(earlier)
}

/** Contacts have no id: they are distinguished by their names. */
function isSame(one: Credential, other: Credential): boolean {
  return one.id === other.id && (one.id !== "" || one.publicKey === other.publicKey)
}

/** Others approve only after the submitter has satisfied their MFA policies, even if the submission no longer counts. */
function requireSubmitterProven(
  pending: PendingRequest,
  { organization, owner }: AuthenticatedRequest,
): void {
  const { submitterId } = pending
  if (owner.user.userId === submitterId) return
  if (organization.user(submitterId) === undefined) {
    const sentence = `user ${submitterId}, who submitted the activity, was removed: submit it anew`
    throw refuse("SUBMITTER_GONE", sentence)
  }
  if (!isMfaPending(pending.mfaProgress, submitterId)) return
  const sentence = `user ${submitterId}, who submitted the activity, must first satisfy their MFA policy`
  throw refuse("AUTHENTICATION_AWAITED", sentence)
}
