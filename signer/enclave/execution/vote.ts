import { ActivityStatus, VoteSelection } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { AppProof } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { decide } from "../../core/policy/decision/decide.ts"
import { eligibleVoterIds } from "../../core/policy/decision/policy-evaluator.ts"
import { Refusal, refuse } from "../../core/refusal.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import type { AuthenticatedRequest, StampedRequest } from "./state/request.ts"
import { proofsOf } from "./steps/app-proofs.ts"
import { commit } from "./steps/commit.ts"
import { type ActivityOutcome, FINAL, NO_DETAILS, isPending } from "./steps/outcome.ts"
import { countableApprovals, countableVotes, isMfaPending } from "./voting/mfa-progress.ts"
import { type PendingActivities, PendingRequest, evidenceOf, makeVote } from "./voting/pending.ts"
import { requireMayVote } from "./voting/rights.ts"
import { runActivity } from "./workspace/workspace.ts"

/** The effect of a vote on its activity. Nothing of it is stored yet. */
type VoteEffect = Pick<ActivityOutcome, "status" | "details" | "effects" | "failure">

const { COMPLETED, CONSENSUS_NEEDED, AUTHENTICATORS_NEEDED, FAILED, REJECTED } = ActivityStatus

/**
 * Casts a vote: an approve_activity or reject_activity, or another user's identical body. The activity is decided anew
 * with the present users and rules, and runs when its votes suffice.
 * @throws ACTIVITY_UNKNOWN, ACTIVITY_FINAL, the codes of requireMayVote and of running the activity
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
  requireMayVote(pending, current, selection)
  const voteId = deps.ids.next(nowMs)
  const cast = { voteId, userId: owner.user.userId, selection }
  const message = request.activity.authority === Authority.VOTE ? request.body : undefined
  const vote = makeVote(cast, evidenceOf(current), nowMs, message)
  pending.add(vote)
  const outcome: ActivityOutcome = {
    ...cast,
    organizationId: organization.id,
    activityId: pending.stored.activityId,
    activityFingerprint: fingerprint,
    decidedAtMs: nowMs,
    ...(isRejection ? REJECTION : decidePending(pending, current, deps)),
    opened: false,
    vote,
    appProofs: [],
  }
  outcome.appProofs = voteProofs(outcome, pending, current, deps)
  const reply = await commit({ request, outcome, before: organization, pending }, deps)
  if (!isPending(outcome.status)) activities.remove(request.organizationId, fingerprint)
  return reply
}

const NO_EFFECTS = { effects: undefined, failure: undefined }
const REJECTION: VoteEffect = { status: REJECTED, details: NO_DETAILS, ...NO_EFFECTS }

/** Proofs when the activity's body or the vote asks for them. */
function voteProofs(
  outcome: ActivityOutcome,
  pending: PendingRequest,
  { request, organization }: AuthenticatedRequest,
  deps: ExecutionDeps,
): AppProof[] {
  const { activity, wantsProofs } = pending.parsed
  if (!wantsProofs && !request.wantsProofs) return []
  const approvals = countableVotes(pending.approvingVotes(), outcome.details.mfaProgress)
  const { submitterId, stored } = pending
  return proofsOf(outcome, { activity, body: stored.body, organization, submitterId, approvals }, deps)
}

/**
 * Decides the pending activity with its votes and runs it when they suffice. After any other decision it stays pending:
 * the root quorum can still complete it, and policies may change. Approvals with open MFA policies do not count, and
 * while those of the submitter are open nothing runs.
 */
function decidePending(
  pending: PendingRequest,
  current: AuthenticatedRequest,
  deps: ExecutionDeps,
): VoteEffect {
  const { submitterId, mfaProgress, parsed } = pending
  const input = countableApprovals(pending.input, mfaProgress)
  const { outcome, policyOutcomes } = decide(input)
  const submission = pending.submissionOwner()
  // A session inherits the scope of the credential that asked for it, which is unknown once that credential is gone.
  const knowsOrigin = submission !== undefined || parsed.activity.authority !== Authority.LOGIN
  if (outcome !== "allow" || isMfaPending(mfaProgress, submitterId) || !knowsOrigin) {
    const status = mfaProgress.every(({ isMet }) => isMet) ? CONSENSUS_NEEDED : AUTHENTICATORS_NEEDED
    const details = { policyOutcomes, voterIds: eligibleVoterIds(input), mfaProgress }
    return { status, details, ...NO_EFFECTS }
  }
  const details = { policyOutcomes, voterIds: [], mfaProgress }
  try {
    const effects = runActivity(parsed, submitterId, submission, current, deps)
    return { status: COMPLETED, details, effects, failure: undefined }
  } catch (error) {
    // The votes are complete but the activity cannot be done: it ends, and nothing else changes.
    if (error instanceof Refusal && FINAL.has(error.code))
      return { ...NO_EFFECTS, status: FAILED, details, failure: error }
    throw error
  }
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
  if (deps.ledger.row(organizationId, "fingerprint", fingerprint) !== undefined)
    throw refuse("ACTIVITY_FINAL", `the activity is settled, votes no longer count: sha256:${fingerprint}`)
  const sentence =
    "No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint"
  throw refuse("ACTIVITY_UNKNOWN", sentence, { field: "parameters.fingerprint" })
}
