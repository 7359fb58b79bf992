import { RefusalCode } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { ActivityStatus, VoteSelection } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { AppProof } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { PendingActivity } from "../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { decide } from "../../core/policy/decision/decide.ts"
import { eligibleVoterIds } from "../../core/policy/decision/voters.ts"
import { Refusal, refuse } from "../../core/refusal.ts"
import { proofsOf, type Settled } from "./steps/app-proofs.ts"
import { type Commit, commit } from "./steps/commit.ts"
import type { ExecutionDeps } from "./state/deps.ts"
import { FINAL } from "./steps/final-refusals.ts"
import { type Case, supplyOf } from "./steps/authenticated-request.ts"
import type { PendingActivities } from "./voting/pending.ts"
import { originOf } from "./state/credential-owner.ts"
import { isOpen, proven, provenApprovals, standingsOf } from "./voting/mfa-progress.ts"
import { readBody } from "./state/request.ts"
import { type Effects, runActivity } from "./workspace/run.ts"
import { provesMore, questionOf, requireCounted, requireSubmitterProven } from "./voting/rights.ts"
import { type Ruling, type Settlement, UNRULED } from "./steps/outcome.ts"
import {
  countedApprovals,
  evidenceOf,
  lapseVotes,
  makeVote,
  requireMayVote,
  submissionHolder,
  submitterOf,
} from "./voting/votes.ts"

/** What the vote leads to, before it is written. */
type Turn = { status: ActivityStatus; ruling: Ruling; effects?: Effects; failure?: Refusal }

const WAITING: ReadonlySet<ActivityStatus> = new Set([
  ActivityStatus.CONSENSUS_NEEDED,
  ActivityStatus.AUTHENTICATORS_NEEDED,
])

const REJECTED: Turn = { status: ActivityStatus.REJECTED, ruling: UNRULED }

/**
 * Casts a vote: an approve_activity or reject_activity, or the identical body of another user. The activity is
 * decided anew with the users and rules of this moment, and runs when that suffices.
 *
 * @throws ACTIVITY_UNKNOWN, ACTIVITY_FINAL, VOTE_NOT_COUNTED, SUBMITTER_GONE, AUTHENTICATION_AWAITED
 * @throws what requireMayVote throws, the activity's context needs
 */
export async function castVote(
  current: Case,
  activities: PendingActivities,
  deps: ExecutionDeps,
): Promise<Outcome> {
  const { request, holder, organization, nowMs } = current
  const { user } = holder
  const selection = selectionOf(current)
  const fingerprint = targetOf(current)
  const pending = requirePending(request.organizationId, fingerprint, activities, deps)
  lapseVotes(pending, nowMs)
  const isProving = selection === VoteSelection.APPROVED && provesMore(pending, current, deps)
  requireMayVote(pending, user, request, current, isProving)
  if (!isProving) requireCounted(pending, current, deps)
  if (selection === VoteSelection.APPROVED) requireSubmitterProven(pending, current, deps)
  const message = request.activity.authority === Authority.VOTE ? request.body : NOTHING
  const vote = makeVote(evidenceOf(request, holder), message, user, selection, deps.ids.next(nowMs), nowMs)
  pending.votes.push(vote)
  const turn = selection === VoteSelection.REJECTED ? REJECTED : settle(pending, current, deps)
  const settled = {
    organizationId: organization.id,
    activityId: pending.activityId,
    activityFingerprint: fingerprint,
    status: turn.status,
    result: turn.effects?.result,
  }
  const settlement: Settlement = {
    ...settled,
    vote,
    ...(turn.failure && {
      failure: { code: RefusalCode[turn.failure.code], sentence: turn.failure.message },
    }),
    document: turn.effects?.changed?.notarized,
    records: turn.effects?.changes.records ?? [],
    born: turn.effects?.born ?? [],
    opened: false,
    appProofs: proofsOfTurn(settled, pending, current, turn, deps),
    ruling: turn.ruling,
  }
  const waits = WAITING.has(turn.status)
  const writing: Commit = {
    request,
    settlement,
    before: current.organization,
    effects: turn.effects,
    waited: pending,
    ...(waits && { pending }),
  }
  const outcome = await commit(writing, deps)
  if (!waits) activities.remove(request.organizationId, fingerprint)
  return outcome
}

/** Where the activity asked for proofs, or whoever votes on it. */
function proofsOfTurn(
  settled: Settled,
  pending: PendingActivity,
  current: Case,
  { effects, ruling }: Turn,
  deps: ExecutionDeps,
): AppProof[] {
  const { activity, wantsProofs } = readBody(pending.body)
  if (!wantsProofs && !current.request.wantsProofs) return []
  const ground = {
    activityType: activity.type,
    body: pending.body,
    organization: current.organization,
    submitterId: submitterOf(pending),
    approvals: provenApprovals(countedApprovals(pending, current), ruling.standings),
    nowMs: current.nowMs,
  }
  return proofsOf(settled, ground, effects, deps)
}

/**
 * Decides the waiting activity with its votes, and runs it when they suffice. Whatever else the decision is, it goes on
 * waiting: the root quorum can always complete it, and policies may change. Approvals of users who have yet to prove
 * something do not count, and where it is the submitter nothing is decided.
 */
function settle(pending: PendingActivity, current: Case, deps: ExecutionDeps): Turn {
  const { organization, governing, order, nowMs } = current
  const asked = questionOf(pending, current, deps)
  const standings = standingsOf(asked)
  const question = proven(asked, standings)
  const { outcome, policyOutcomes } = decide(question)
  const userId = submitterOf(pending)
  const submission = submissionHolder(pending, current)
  // A session opens as the one that asked for it was confined: nobody knows how once that one is no more.
  const isCertain = submission !== undefined || asked.activity.authority !== Authority.LOGIN
  const waits = outcome !== "allow" || isOpen(standings, userId) || !isCertain
  const ruling = { policyOutcomes, voterIds: waits ? eligibleVoterIds(question) : [], standings }
  if (waits) {
    const isProven = standings.every(({ isMet }) => isMet)
    const { AUTHENTICATORS_NEEDED, CONSENSUS_NEEDED } = ActivityStatus
    return { status: isProven ? CONSENSUS_NEEDED : AUTHENTICATORS_NEEDED, ruling }
  }
  try {
    const { activity, parameters } = readBody(pending.body)
    const origin = submission && originOf(submission)
    const place = {
      organization,
      userId,
      origin,
      supply: supplyOf(current.request, order),
      governing,
      nowMs,
    }
    const effects = runActivity({ activity, parameters, ...place }, deps)
    return { status: ActivityStatus.COMPLETED, ruling, effects }
  } catch (error) {
    // The votes are complete and what they agreed on cannot be done: the activity ends, nothing else changes.
    if (error instanceof Refusal && FINAL.has(error.code)) {
      return { status: ActivityStatus.FAILED, ruling, failure: error }
    }
    throw error
  }
}

const NOTHING = new Uint8Array(0)

function selectionOf({ request }: Case): VoteSelection {
  return request.activity.path === "reject_activity" ? VoteSelection.REJECTED : VoteSelection.APPROVED
}

/** Fingerprint of the activity voted on: the one named, or the body's own where the same body came again. */
function targetOf({ request }: Case): string {
  if (request.activity.authority !== Authority.VOTE) return request.fingerprint
  return String(request.parameters.fingerprint).replace(/^sha256:/, "")
}

function requirePending(
  organizationId: string,
  fingerprint: string,
  activities: PendingActivities,
  { ledger }: ExecutionDeps,
): PendingActivity {
  const pending = activities.get(organizationId, fingerprint)
  if (pending !== undefined) return pending
  if (ledger.row(organizationId, "fingerprint", fingerprint) !== undefined) {
    throw refuse("ACTIVITY_FINAL", `the activity is settled, votes no longer count: sha256:${fingerprint}`)
  }
  throw refuse(
    "ACTIVITY_UNKNOWN",
    "No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint",
    { field: "parameters.fingerprint" },
  )
}
