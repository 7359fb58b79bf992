import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { ActivityStatus, VoteSelection } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { PendingActivity } from "../../proto/gen/countersign/state/v1/activity_pb.ts"
import { countsVote, decide } from "../policy/decide.ts"
import { Refusal, type RefusalName, refuse } from "../refusal.ts"
import { type Commit, commit } from "./commit.ts"
import type { ExecutionDeps } from "./deps.ts"
import { type Case, headOf } from "./execute.ts"
import type { PendingActivities } from "./pending.ts"
import { readBody } from "./request.ts"
import { type Effects, runActivity } from "./run.ts"
import type { Settlement } from "./settlement.ts"
import { approversOf, lapseVotes, makeVote, requireFirstVote, submitterOf } from "./votes.ts"

/** What the vote leads to, before it is written. */
type Turn = { status: ActivityStatus; effects?: Effects; failure?: Refusal }

/**
 * Casts a vote: an approve_activity or reject_activity, or the identical body of another user. The activity is
 * decided anew with the users and rules of this moment, and runs when that suffices.
 *
 * @throws ACTIVITY_UNKNOWN, ACTIVITY_FINAL, VOTE_REPEATED, ACTIVITY_REPLAYED, VOTE_NOT_COUNTED, and the activity's context needs
 */
export async function castVote(
  current: Case,
  activities: PendingActivities,
  deps: ExecutionDeps,
): Promise<Outcome> {
  const { request, user, organization, nowMs } = current
  const selection = selectionOf(current)
  const fingerprint = targetOf(current)
  const pending = requirePending(request.organizationId, fingerprint, activities, deps)
  lapseVotes(pending, nowMs)
  requireFirstVote(pending, user, request.body)
  if (!countsVote(organization, user.userId)) {
    throw refuse("VOTE_NOT_COUNTED", `the vote of user ${user.userId} does not count for this activity`)
  }
  const vote = makeVote(request, user, selection, deps.ids.next(nowMs), nowMs)
  pending.votes.push(vote)
  const turn =
    selection === VoteSelection.REJECTED
      ? { status: ActivityStatus.REJECTED }
      : settle(pending, current, deps)
  const settlement: Settlement = {
    organizationId: organization.id,
    activityId: pending.activityId,
    activityFingerprint: fingerprint,
    vote,
    status: turn.status,
    result: turn.effects?.result,
    ...(turn.failure && {
      failure: { code: RefusalCode[turn.failure.code], sentence: turn.failure.message },
    }),
    document: turn.effects?.changed?.notarized,
    records: turn.effects?.changes.records ?? [],
    opened: false,
  }
  const waits = turn.status === ActivityStatus.CONSENSUS_NEEDED
  const writing: Commit = {
    request,
    settlement,
    before: headOf(current),
    effects: turn.effects,
    wasPending: true,
    ...(waits && { pending }),
  }
  const outcome = await commit(writing, deps)
  if (!waits) activities.remove(request.organizationId, fingerprint)
  return outcome
}

/** Decides the waiting activity with its votes, and runs it when they suffice. */
function settle(pending: PendingActivity, { organization, order, nowMs }: Case, deps: ExecutionDeps): Turn {
  const { activity, parameters } = readBody(pending.body)
  const decision = decide({
    organization,
    activity,
    parameters,
    submitterId: submitterOf(pending),
    approverIds: approversOf(pending, organization),
  })
  if (decision.outcome !== "allow") return { status: ActivityStatus.CONSENSUS_NEEDED }
  try {
    const effects = runActivity(activity, parameters, organization, order.records, nowMs, deps)
    return { status: ActivityStatus.COMPLETED, effects }
  } catch (error) {
    // The votes are complete and what they agreed on cannot be done: the activity ends, nothing else changes.
    if (error instanceof Refusal && !isContextFault(error)) {
      return { status: ActivityStatus.FAILED, failure: error }
    }
    throw error
  }
}

const CONTEXT_FAULTS: ReadonlySet<RefusalName> = new Set([
  "RECORD_FORGED",
  "RECORD_OF_ANOTHER_ORGANIZATION",
  "RECORD_ROLLED_BACK",
  "RECORD_UNEXPECTED",
  "CONTEXT_MISSING",
  "SEAL_BROKEN",
])

/** Faults of what the API tier supplied must not decide an activity's fate. */
function isContextFault(refusal: Refusal): boolean {
  return CONTEXT_FAULTS.has(refusal.code)
}

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
