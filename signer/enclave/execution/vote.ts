import { ActivityStatus, VoteSelection } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { ActivityEntry } from "../../../proto/catalog.ts"
import { Authority } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { AppProof } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Vote } from "../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { decide } from "../../core/policy/decision/decide.ts"
import { eligibleVotersInSteps, possibleVoterIds } from "../../core/policy/decision/eligible-votes.ts"
import { refuse } from "../../core/refusal.ts"
import { inSlices } from "../../core/turns/steps.ts"
import { lapsedLogin } from "./state/credential-owner.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import type { AuthenticatedRequest, StampedRequest } from "./state/request.ts"
import { proofsOf } from "./steps/app-proofs.ts"
import { requireUnusedToken } from "./steps/token-use.ts"
import { commit } from "./steps/commit.ts"
import {
  type ActivityOutcome,
  type DecisionDetails,
  NO_DETAILS,
  isPending,
  requireFinal,
} from "./steps/outcome.ts"
import { heldPolicyList } from "./steps/policy-outcomes.ts"
import { countableApprovals, countableVotes, isMfaPending } from "./voting/mfa-progress.ts"
import { PendingRequest, evidenceOf, makeVote } from "./voting/pending.ts"
import { type PendingActivities, activityExpired, readEnding } from "./voting/pending-activities.ts"
import { repeatedVote, requireMayApprove, requireMayReject } from "./voting/rights.ts"
import { runActivity } from "./workspace/run-activity.ts"

/** The effect of a vote on its activity. Nothing of it is stored yet. */
type VoteEffect = Pick<ActivityOutcome, "status" | "details" | "effects" | "failure">

const { COMPLETED, CONSENSUS_NEEDED, AUTHENTICATORS_NEEDED, FAILED, REJECTED } = ActivityStatus

/**
 * Casts a vote: an approve_activity or reject_activity, or another user's identical body. The activity is decided again with
 * the present users and rules, and runs when its votes suffice.
 * @throws ACTIVITY_UNKNOWN, ACTIVITY_FINAL, ACTIVITY_EXPIRED, LIMIT_EXCEEDED, the codes of requireMayApprove and of requireMayReject, codes
 *   of running the activity that are not final
 */
export async function castVote(
  current: AuthenticatedRequest,
  activities: PendingActivities,
  deps: ExecutionDeps,
): Promise<Outcome> {
  const { request, owner, organization, nowMs } = current
  const isRejection = request.activity.path === "reject_activity"
  const selection = isRejection ? VoteSelection.REJECTED : VoteSelection.APPROVED
  const fingerprint = targetOf(request)
  const pending = openPending(fingerprint, current, activities, deps)
  const cast = { voteId: deps.ids.next(nowMs), userId: owner.user.userId, selection }
  const message = request.activity.authority === Authority.VOTE ? request.body : undefined
  const vote = makeVote(cast, evidenceOf(current), nowMs, message)
  const effect = isRejection ? reject(pending, current, deps) : await approve(pending, vote, current, deps)
  const conclude = async (concluded: VoteEffect) => {
    const outcome: ActivityOutcome = {
      ...cast,
      ...concluded,
      organizationId: organization.id,
      activityId: pending.stored.activityId,
      activityFingerprint: fingerprint,
      decidedAtMs: nowMs,
      opened: false,
      heldPolicyList: heldPolicyList(current),
      vote,
      appProofs: [],
    }
    outcome.appProofs = await voteProofs(outcome, pending, current, deps)
    const controls = concluded.effects && pending.input.controls
    return commit({ request, outcome, before: organization, pending, controls }, deps)
  }
  const reply = await conclude(effect).catch((error: unknown) => {
    if (effect.effects === undefined) throw error
    return conclude(failed(error, effect.details))
  })
  if (!isPending(reply.status)) activities.remove(request.organizationId, fingerprint)
  return reply
}

/** @throws VERIFICATION_TOKEN_USED, the codes of requireMayReject */
function reject(pending: PendingRequest, current: AuthenticatedRequest, deps: ExecutionDeps): VoteEffect {
  requireMayReject(pending, current)
  requireUnusedToken(current.request, deps)
  return { status: REJECTED, details: NO_DETAILS, ...NO_EFFECTS }
}

/**
 * Decides with the earlier approvals alone, then with this one too. After a change of rules the earlier ones may
 * suffice, and one more could break a consensus such as `approvers.count() == 2`.
 * @throws LIMIT_EXCEEDED, VERIFICATION_TOKEN_USED, the codes of requireMayApprove
 */
async function approve(
  pending: PendingRequest,
  vote: Vote,
  current: AuthenticatedRequest,
  deps: ExecutionDeps,
): Promise<VoteEffect> {
  const kind = requireMayApprove(pending, current)
  requireUnusedToken(current.request, deps)
  const { failure: refusal } = pending
  if (refusal !== undefined)
    return {
      status: FAILED,
      details: NO_DETAILS,
      effects: undefined,
      failure: { refusal, wasAllowed: false },
    }
  const earlier = await decidePending(pending, current, deps)
  if (!isPending(earlier.status)) return earlier
  if (kind === "repeated") throw repeatedVote(vote.userId)
  pending.add(vote)
  return decidePending(pending, current, deps)
}

const NO_EFFECTS = { effects: undefined, failure: undefined }

/** The activity ends: its votes are complete and it cannot be done. @throws any error that is no final refusal */
function failed(error: unknown, details: DecisionDetails): VoteEffect {
  const failure = { refusal: requireFinal(error), wasAllowed: true }
  return { status: FAILED, details, effects: undefined, failure }
}

/** Proofs when the activity's body or the vote asks for them. */
async function voteProofs(
  outcome: ActivityOutcome,
  pending: PendingRequest,
  { request, organization }: AuthenticatedRequest,
  deps: ExecutionDeps,
): Promise<AppProof[]> {
  const { activity, wantsProofs } = pending.parsed
  if (!wantsProofs && !request.wantsProofs) return []
  const approvals = countableVotes(pending.approvingVotes(), outcome.details.mfaProgress)
  const { submitterId, stored } = pending
  const decided = { activity, body: stored.body, organization, submitterId, approvals }
  return inSlices(proofsOf(outcome, decided, deps), organization.id, deps.turns)
}

/**
 * Decides the pending activity with its votes and runs it when they suffice. After any other decision it stays pending:
 * the root quorum can still complete it, and policies may change. Approvals with open MFA policies do not count, and
 * while those of the submitter are open nothing runs.
 */
async function decidePending(
  pending: PendingRequest,
  current: AuthenticatedRequest,
  deps: ExecutionDeps,
): Promise<VoteEffect> {
  const { submitterId, mfaProgress, parsed } = pending
  const input = countableApprovals(pending.input, mfaProgress)
  const { outcome, policyOutcomes } = decide(input)
  if (outcome !== "allow" || isMfaPending(mfaProgress, submitterId)) {
    const status = mfaProgress.every(({ isMet }) => isMet) ? CONSENSUS_NEEDED : AUTHENTICATORS_NEEDED
    const voters = await inSlices(eligibleVotersInSteps(input), input.organization.id, deps.turns)
    const details = { policyOutcomes, voterIds: possibleVoterIds(voters), mfaProgress }
    return { status, details, ...NO_EFFECTS }
  }
  const details = { policyOutcomes, voterIds: [], mfaProgress }
  const submission = pending.submissionOwner()
  try {
    if (submission === undefined && isLogin(parsed.activity)) throw lapsedLogin()
    // Nothing of the parent waits for votes.
    const context = { ...current, isByParent: false }
    const effects = await runActivity(parsed, { userId: submitterId, credential: submission }, context, deps)
    return { status: COMPLETED, details, effects, failure: undefined }
  } catch (error) {
    return failed(error, details)
  }
}

function isLogin({ authority }: ActivityEntry): boolean {
  return authority === Authority.LOGIN || authority === Authority.ASSISTED_LOGIN
}

/** Fingerprint of the activity voted on: the named one, or the body's own when the same body was sent again. */
function targetOf({ activity, parameters, fingerprint }: StampedRequest): string {
  if (activity.authority !== Authority.VOTE) return fingerprint
  return String(parameters.fingerprint).replace(/^sha256:/, "")
}

function openPending(
  fingerprint: string,
  current: AuthenticatedRequest,
  activities: PendingActivities,
  deps: ExecutionDeps,
): PendingRequest {
  const { organizationId } = current.request
  const stored = activities.get(organizationId, fingerprint)
  if (stored !== undefined) return new PendingRequest(stored, current, deps)
  const ended = deps.ledger.row(organizationId, "fingerprint", fingerprint)
  if (ended !== undefined && readEnding(ended).hasExpired) throw activityExpired()
  if (ended !== undefined)
    throw refuse("ACTIVITY_FINAL", `the activity is settled, votes no longer count: sha256:${fingerprint}`)
  const sentence =
    "No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint: " +
    "this one is settled for over an hour, or of another organization; a lapse of votes (24 h) ends no activity"
  throw refuse("ACTIVITY_UNKNOWN", sentence, { field: "parameters.fingerprint" })
}
