import { ActivityStatus, VoteSelection } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { decide } from "../../core/policy/decision/decide.ts"
import type { DecisionInput } from "../../core/policy/decision/decision-input.ts"
import { exceededControls } from "../../core/policy/decision/exceeded-controls.ts"
import { eligibleVotersInSteps, possibleVoterIds } from "../../core/policy/decision/eligible-votes.ts"
import { refuse } from "../../core/refusal.ts"
import { inSlices, runAtOnce, type Steps } from "../../core/turns/steps.ts"
import { isCounted } from "../../core/policy/controls.ts"
import { approvalOf } from "./state/credential-owner.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import type { AuthenticatedRequest } from "./state/request.ts"
import { proofsOf } from "./steps/app-proofs.ts"
import { commit } from "./steps/commit.ts"
import { makeDecisionInput } from "./steps/decision-input.ts"
import { recordDecision } from "./steps/log-decision.ts"
import {
  type ActivityOutcome,
  type DecisionDetails,
  type Denial,
  denialOf,
  writeOutcome,
} from "./steps/outcome.ts"
import { heldPolicyList } from "./steps/policy-outcomes.ts"
import { isMfaPending, mfaProgressOf } from "./voting/mfa-progress.ts"
import { evidenceOf, makeVote, newPending } from "./voting/pending.ts"
import type { PendingActivities } from "./voting/pending-activities.ts"
import { type ActivityEffects, checkInSteps, runActivity } from "./workspace/run-activity.ts"

const { COMPLETED, CONSENSUS_NEEDED, AUTHENTICATORS_NEEDED, FAILED } = ActivityStatus

/** A new activity and its decision, before it runs or waits. Nothing of it is stored yet. */
export type DecidedSubmission = {
  current: AuthenticatedRequest
  input: DecisionInput
  /** COMPLETED: it may run; else it waits. */
  status: ActivityStatus
  details: DecisionDetails
}

/**
 * Decides a new activity with its submitter's approval alone.
 * @throws POLICY_UNDECIDED, PARENT_LOGIN_NOT_ALLOWED, the codes of makeDecisionInput
 */
export function decideSubmission(
  current: AuthenticatedRequest,
  deps: ExecutionDeps,
): DecidedSubmission | Denial {
  const { request, owner } = current
  const { userId } = owner.user
  const input = makeDecisionInput(request, current, userId, [approvalOf(owner)], deps)
  const decision = decide(input)
  const { policyOutcomes } = decision
  if (decision.outcome === "undecided") throw refuse("POLICY_UNDECIDED", decision.reason)
  if (decision.outcome === "deny") {
    const outcome = deniedOutcome(current, policyOutcomes, deps)
    return denialOf(decision.reason, outcome, exceededControls(input))
  }
  const mfaProgress = mfaProgressOf(input)
  const details = { policyOutcomes, voterIds: [], mfaProgress }
  const decided = decision.outcome === "consensus" ? CONSENSUS_NEEDED : COMPLETED
  const status = isMfaPending(mfaProgress, userId) ? AUTHENTICATORS_NEEDED : decided
  const submission = { current, input, status, details }
  if (current.deciding !== current.organization) requireAtOnce(submission)
  return submission
}

function deniedOutcome(
  current: AuthenticatedRequest,
  policyOutcomes: DecisionDetails["policyOutcomes"],
  deps: ExecutionDeps,
): ActivityOutcome {
  const details = { policyOutcomes, voterIds: [], mfaProgress: [] }
  const denied = { current, status: FAILED, details }
  const outcome = outcomeOf(denied, undefined, current.request.wantsProofs, deps)
  outcome.appProofs = runAtOnce(proofSteps(outcome, denied, deps))
  return outcome
}

/** Votes, MFA and counters of the parent stay in the parent. @throws PARENT_LOGIN_NOT_ALLOWED */
function requireAtOnce({ status, input }: DecidedSubmission): void {
  if (status === AUTHENTICATORS_NEEDED) throw notAtOnce("an MFA policy of its user asks for more")
  if (status !== COMPLETED) throw notAtOnce("its policies ask for more approvals, or none of them allows it")
  if (isCounted(input.controls)) throw notAtOnce("one of its velocity controls counts it")
}

/** Refuses a body that waits in a sub-organization from a user of the parent. @throws PARENT_LOGIN_NOT_ALLOWED */
export function requireOwnVote({ deciding, organization }: AuthenticatedRequest): void {
  if (deciding !== organization)
    throw notAtOnce("the same body waits in the sub-organization for its own users")
}

function notAtOnce(why: string) {
  return refuse("PARENT_LOGIN_NOT_ALLOWED", `the parent does not allow this login at once: ${why}`)
}

/** True for an activity that runs and is counted by a velocity control: no other one may be decided meanwhile. */
export function mustRunAlone({ status, input }: DecidedSubmission): boolean {
  return status === COMPLETED && isCounted(input.controls)
}

/** Runs a signature, which stores nothing. @throws the codes of the activity */
export async function runSignature(submission: DecidedSubmission, deps: ExecutionDeps): Promise<Outcome> {
  const effects = await effectsOf(submission, deps)
  const outcome = outcomeOf(submission, effects, submission.current.request.wantsProofs, deps)
  const proven = await withProofs(outcome, submission, deps)
  return writeOutcome(proven, recordDecision(proven, deps))
}

/**
 * Runs the activity and stores its outcome.
 * @param fingerprintShard ledger shard of the body's fingerprint
 * @throws the codes of the activity and of commit
 */
export async function runSubmission(
  submission: DecidedSubmission,
  fingerprintShard: string,
  deps: ExecutionDeps,
): Promise<Outcome> {
  const { current, input } = submission
  const { request, organization: before } = current
  const ran = outcomeOf(submission, await effectsOf(submission, deps), true, deps)
  const outcome = await withProofs(ran, submission, deps)
  return commit({ request, outcome, before, controls: input.controls, fingerprintShard }, deps)
}

/**
 * Stores the activity until enough users have approved it and its submitter has satisfied their MFA policies.
 * Parameters that could never run are refused now.
 * @throws LOGIN_ORGANIZATION_NEEDED, LIMIT_EXCEEDED, the codes of the activity's check
 */
export async function makePending(
  submission: DecidedSubmission,
  activities: PendingActivities,
  deps: ExecutionDeps,
): Promise<Outcome> {
  const { current, input, details } = submission
  const { request, organization, owner } = current
  const { organizationId, fingerprint, body, activity, parameters, timestampMs } = request
  if (organizationId !== organization.id) throw waitsInSubOrganization(organization.id)
  await inSlices(checkInSteps(activity, parameters), organizationId, deps.turns)
  activities.requireRoom(organizationId, body.length, organization.isRoot(owner.user.userId))
  const voters = await inSlices(eligibleVotersInSteps(input), organizationId, deps.turns)
  const voterIds = possibleVoterIds(voters)
  const waiting = { ...submission, details: { ...details, voterIds } }
  const outcome = await withProofs(outcomeOf(waiting, undefined, true, deps), waiting, deps)
  const pending = { stored: newPending(outcome, body), timestampMs }
  const reply = await commit({ request, outcome, before: organization, pending }, deps)
  activities.put(organizationId, fingerprint, { size: body.length, createdAtMs: outcome.decidedAtMs })
  return reply
}

function effectsOf({ current }: DecidedSubmission, deps: ExecutionDeps): Promise<ActivityEffects> {
  const { request, owner, deciding, organization } = current
  const context = { ...current, isByParent: deciding !== organization }
  return runActivity(request, { userId: owner.user.userId, credential: owner }, context, deps)
}

/** The outcome of a submission, whose stamp is the first approval. `keepsVote`: it is stored or proven. */
function outcomeOf(
  { current, status, details }: Omit<DecidedSubmission, "input">,
  effects: ActivityEffects | undefined,
  keepsVote: boolean,
  deps: ExecutionDeps,
): ActivityOutcome {
  const { request, organization, owner, nowMs } = current
  const { ids } = deps
  const outcome: ActivityOutcome = {
    organizationId: organization.id,
    activityId: ids.next(nowMs),
    activityFingerprint: request.fingerprint,
    voteId: ids.next(nowMs),
    userId: owner.user.userId,
    selection: VoteSelection.APPROVED,
    decidedAtMs: nowMs,
    status,
    details,
    heldPolicyList: heldPolicyList(current),
    effects,
    failure: undefined,
    opened: true,
    vote: undefined,
    appProofs: [],
  }
  if (!keepsVote) return outcome
  outcome.vote = makeVote(outcome, evidenceOf(current), nowMs)
  return outcome
}

type Decided = Pick<DecidedSubmission, "current" | "status">

/** The outcome with the proofs that its request asks for. An activity that created many addresses has as many. */
async function withProofs(
  outcome: ActivityOutcome,
  decided: Decided,
  deps: ExecutionDeps,
): Promise<ActivityOutcome> {
  const steps = proofSteps(outcome, decided, deps)
  return { ...outcome, appProofs: await inSlices(steps, decided.current.organization.id, deps.turns) }
}

function* proofSteps(
  outcome: ActivityOutcome,
  { current, status }: Decided,
  deps: ExecutionDeps,
): Steps<ActivityOutcome["appProofs"]> {
  const { request, organization } = current
  const { vote, userId: submitterId } = outcome
  if (!request.wantsProofs || vote === undefined) return []
  // An approval does not count before its user has satisfied their MFA policies.
  const approvals = status === AUTHENTICATORS_NEEDED ? [] : [vote]
  const { activity, body } = request
  return yield* proofsOf(outcome, { activity, body, organization, submitterId, approvals }, deps)
}

/** A pending login is stored and voted on in its own organization, so its body must not log in elsewhere meanwhile. */
function waitsInSubOrganization(organizationId: string) {
  const sentence = `an MFA policy makes this login wait: name organization ${organizationId} in the body`
  return refuse("LOGIN_ORGANIZATION_NEEDED", sentence, { field: "organizationId" })
}
