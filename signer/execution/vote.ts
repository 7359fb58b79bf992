import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { ActivityStatus, VoteSelection } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Authority } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import type { AppProof } from "../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { PendingActivity } from "../../proto/gen/countersign/state/v1/activity_pb.ts"
import { decide } from "../policy/decide.ts"
import type { Question } from "../policy/question.ts"
import { countsVote, votersOf } from "../policy/voters.ts"
import { Refusal, type RefusalName, refuse } from "../refusal.ts"
import { proofsOf, type Settled } from "./app-proofs.ts"
import { type Commit, commit } from "./commit.ts"
import type { ExecutionDeps } from "./deps.ts"
import { type Case, supplyOf } from "./execute.ts"
import type { PendingActivities } from "./pending.ts"
import { approvalOf, makeQuestion } from "./question.ts"
import { readBody } from "./request.ts"
import { type Effects, runActivity } from "./run.ts"
import { type Ruling, type Settlement, UNRULED } from "./settlement.ts"
import {
  approvalsOf,
  countedApprovals,
  evidenceOf,
  lapseVotes,
  makeVote,
  requireMayVote,
  submitterOf,
} from "./votes.ts"

/** What the vote leads to, before it is written. */
type Turn = { status: ActivityStatus; ruling: Ruling; effects?: Effects; failure?: Refusal }

const REJECTED: Turn = { status: ActivityStatus.REJECTED, ruling: UNRULED }

/**
 * Casts a vote: an approve_activity or reject_activity, or the identical body of another user. The activity is
 * decided anew with the users and rules of this moment, and runs when that suffices.
 *
 * @throws ACTIVITY_UNKNOWN, ACTIVITY_FINAL, VOTE_NOT_COUNTED, what requireMayVote throws, the activity's context needs
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
  requireMayVote(pending, user, request, current)
  requireCounted(pending, current, deps)
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
  const waits = turn.status === ActivityStatus.CONSENSUS_NEEDED
  const writing: Commit = {
    request,
    settlement,
    before: current.organization,
    effects: turn.effects,
    wasPending: true,
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
  { effects }: Turn,
  deps: ExecutionDeps,
): AppProof[] {
  const { activity, wantsProofs } = readBody(pending.body)
  if (!wantsProofs && !current.request.wantsProofs) return []
  const ground = {
    activityType: activity.type,
    body: pending.body,
    organization: current.organization,
    submitterId: submitterOf(pending),
    approvals: countedApprovals(pending, current),
    nowMs: current.nowMs,
  }
  return proofsOf(settled, ground, effects, deps)
}

/** The waiting activity, with the votes that count and by the rules of this moment. */
function questionOf(pending: PendingActivity, current: Case, deps: ExecutionDeps): Question {
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
function requireCounted(pending: PendingActivity, current: Case, deps: ExecutionDeps): void {
  const { organization, holder } = current
  const { userId } = holder.user
  if (organization.isRoot(userId)) return
  if (countsVote(questionOf(pending, current, deps), approvalOf(holder))) return
  throw refuse("VOTE_NOT_COUNTED", `the vote of user ${userId} does not count for this activity`)
}

/**
 * Decides the waiting activity with its votes, and runs it when they suffice. Whatever else the decision is, it goes on
 * waiting: the root quorum can always complete it, and policies may change.
 */
function settle(pending: PendingActivity, current: Case, deps: ExecutionDeps): Turn {
  const { organization, governing, order, nowMs } = current
  const question = questionOf(pending, current, deps)
  const { outcome, policyOutcomes } = decide(question)
  const waits = outcome !== "allow"
  const ruling = { policyOutcomes, voterIds: waits ? votersOf(question) : [] }
  if (waits) return { status: ActivityStatus.CONSENSUS_NEEDED, ruling }
  try {
    const { activity, parameters } = readBody(pending.body)
    const userId = submitterOf(pending)
    const place = { organization, userId, supply: supplyOf(current.request, order), governing, nowMs }
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

/**
 * What shows that the activity itself cannot be done. Anything else, such as a fault of what the API tier supplied
 * or of the ledger, must not decide its fate: the vote is refused and may be given again.
 */
const FINAL: ReadonlySet<RefusalName> = new Set([
  "REQUEST_INVALID",
  "ACTIVITY_TYPE_NOT_SERVED",
  "RESOURCE_UNKNOWN",
  "RECORD_DELETED",
  "NAME_TAKEN",
  "LIMIT_EXCEEDED",
  "CREDENTIAL_TAKEN",
  "LAST_CREDENTIAL",
  "PUBLIC_KEY_INVALID",
  "ATTESTATION_MALFORMED",
  "ATTESTATION_CEREMONY_WRONG",
  "ATTESTATION_CHALLENGE_WRONG",
  "ATTESTATION_ORIGIN_WRONG",
  "ATTESTATION_CREDENTIAL_WRONG",
  "ATTESTATION_KEY_INVALID",
  "ATTESTATION_SIGNATURE_INVALID",
  "QUORUM_INVALID",
  "ACTIVITY_CALLER_INVALID",
  "KEYS_NOT_EXPORTED",
  "EVIDENCE_NOT_SERVED",
  "QUORUM_MEMBER",
  "VERIFICATION_TOKEN_NOT_SERVED",
  "FEATURE_VALUE_INVALID",
  "FEATURE_NOT_SERVED",
  "OIDC_TOKEN_INVALID",
  "IDENTITY_TAKEN",
  "CLIENT_SECRET_INVALID",
  "PATH_INVALID",
  "ADDRESS_FORMAT_INVALID",
  "ACCOUNT_TAKEN",
  "MNEMONIC_LENGTH_INVALID",
  "SIGN_WITH_UNKNOWN",
  "PAYLOAD_INVALID",
  "HASH_FUNCTION_INVALID",
  "DIGEST_LENGTH_INVALID",
  "PRIVATE_KEY_NOT_EXPORTED",
  "WALLET_ACCOUNT_NOT_EXPORTED",
  "INTERFACE_INVALID",
  "INTERFACE_TAKEN",
  "CONTRACT_ADDRESS_INVALID",
  "EXPRESSION_INVALID",
  "EXPRESSION_FIELD_UNKNOWN",
  "EXPRESSION_TOO_LARGE",
  "POLICIES_TOO_LARGE",
  "SESSION_PROFILES_TOO_LARGE",
  "IP_BLOCK_INVALID",
  "WALLET_NOT_EXPORTED",
  "IMPORT_TARGET_UNKNOWN",
  "IMPORT_TARGET_SPENT",
  "IMPORT_TARGET_EXPIRED",
  "BUNDLE_MALFORMED",
  "BUNDLE_BROKEN",
  "MNEMONIC_WORD_UNKNOWN",
  "MNEMONIC_CHECKSUM_WRONG",
  "MNEMONIC_LANGUAGE_NOT_SERVED",
  "PASSPHRASE_INVALID",
  "PRIVATE_KEY_INVALID",
  "TARGET_KEY_INVALID",
])

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
