import { VoteSelection } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Credential } from "../../../core/policy/decision/decision-input.ts"
import { countsVote } from "../../../core/policy/decision/policy-evaluator.ts"
import { refuse } from "../../../core/refusal.ts"
import { approvalOf } from "../state/credential-owner.ts"
import type { AuthenticatedRequest } from "../state/request.ts"
import { countableApprovals, isMfaPending, mfaProgressOfUser } from "./mfa-progress.ts"
import type { PendingRequest } from "./pending.ts"

/** Votes stored with one activity, lapsed ones included: each vote writes its row anew. */
const MAX_VOTES = 500

/**
 * Refuses a vote that the user may not cast.
 * @throws VOTE_REPEATED, ACTIVITY_REPLAYED, REQUEST_STALE, LIMIT_EXCEEDED, VOTE_NOT_COUNTED, SUBMITTER_GONE,
 *   AUTHENTICATION_AWAITED, the codes of makeDecisionInput
 */
export function requireMayVote(
  pending: PendingRequest,
  current: AuthenticatedRequest,
  selection: VoteSelection,
): void {
  const isApproval = selection === VoteSelection.APPROVED
  const isProving = isApproval && advancesMfa(pending, current)
  requireNewVote(pending, current, isProving)
  if (!isProving) requireCounted(pending, current)
  if (isApproval) requireSubmitterProven(pending, current)
}

/**
 * A user votes once, except to satisfy an MFA policy (`isProving`); then each credential may stamp the same body. After
 * their vote ceased to count they vote again, with a new body: an old body may still be live, and an attacker who kept it
 * could cast the vote in the user's place.
 */
function requireNewVote(
  pending: PendingRequest,
  { request, owner }: AuthenticatedRequest,
  isProving: boolean,
): void {
  const { userId } = owner.user
  const { votes, body } = pending.stored
  if (!isProving && pending.hasVoted(userId))
    throw refuse("VOTE_REPEATED", `user ${userId} has already voted on this activity`)
  const { credential } = request.stamp
  const bodies = votes
    .filter((vote) => vote.userId === userId && (!isProving || vote.stamp?.credential === credential))
    .map(({ message }) => (message.length > 0 ? message : body))
  if (bodies.some((voted) => Buffer.compare(voted, request.body) === 0))
    throw refuse("ACTIVITY_REPLAYED", "this vote no longer counts: stamp a new request to vote again")
  const isBeforeLapse = votes.some(({ lapsedAtMs }) => BigInt(request.timestampMs) < lapsedAtMs)
  if (isBeforeLapse) {
    const sentence = "the votes have lapsed since this request was stamped: stamp a new one"
    throw refuse("REQUEST_STALE", sentence, { field: "timestampMs" })
  }
  if (votes.length >= MAX_VOTES)
    throw refuse("LIMIT_EXCEEDED", `an activity takes at most ${MAX_VOTES} votes, lapsed ones included`)
}

/** The vote of a root member always counts: their rejection ends an activity that can no longer be decided. */
function requireCounted(pending: PendingRequest, { organization, owner }: AuthenticatedRequest): void {
  const { userId } = owner.user
  if (organization.isRoot(userId)) return
  if (countsVote(countableApprovals(pending.input, pending.mfaProgress), approvalOf(owner))) return
  throw refuse("VOTE_NOT_COUNTED", `the vote of user ${userId} does not count for this activity`)
}

/** Whether an approver's new credential meets one more step of an MFA policy that they must satisfy. */
function advancesMfa(pending: PendingRequest, { owner }: AuthenticatedRequest): boolean {
  const { user } = owner
  if (user.mfaPolicies.length === 0) return false
  const earlier = pending.approvals.find((approval) => approval.user.userId === user.userId)?.credentials
  if (earlier === undefined) return false
  const { input } = pending
  const added = approvalOf(owner).credentials.filter(({ id }) => !earlier.some((one) => one.id === id))
  const metSteps = (credentials: readonly Credential[]) =>
    mfaProgressOfUser(input, { user, credentials }).reduce((sum, progress) => sum + progress.metSteps, 0)
  return metSteps([...earlier, ...added]) > metSteps(earlier)
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
