import type { ActivityEntry } from "../../../proto/catalog.ts"
import { ResultSchema } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { ActivityStatusSchema, VoteSelectionSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type AppProof, MfaStatusSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Decision, Outcome, Refused } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { StampParts } from "../../../signer/core/stamp/read-stamp.ts"
import type { ErrorBody, ErrorDetail } from "../../common/api-error.ts"
import { writeJson } from "../../../proto/write.ts"
import { withExpressionAdvice } from "../../policy-advice/refusal-advice.ts"
import { refusedError } from "../errors.ts"
import { appProofsText } from "../resources/activity.ts"
import { jsonText } from "../resources/json-text.ts"
import { type ActivityRow, isFinal } from "../store/activities.ts"
import { lacksOutcome } from "../store/restored.ts"
import type { MfaStatusJson, StoredVote } from "../store/stored-vote.ts"

/** The request behind an outcome, as it is stored with the vote. */
export type VoteEvidence = {
  body: Uint8Array
  /** SHA-256 of the body. */
  fingerprint: Uint8Array
  organizationId: string
  activity: ActivityEntry
  intent: string
  stamp: StampParts
}

/** The activity that a request opened. For a vote: a substitute, used if the database lost the activity. */
export function openedRow(
  outcome: Outcome,
  decision: Decision,
  evidence: VoteEvidence,
  evaluated: Evaluated,
): ActivityRow {
  const decidedMs = Number(decision.decidedAtMs)
  return {
    organizationId: outcome.organizationId || evidence.organizationId,
    id: decision.activityId,
    fingerprint: outcome.activityFingerprint.length > 0 ? outcome.activityFingerprint : evidence.fingerprint,
    type: evidence.activity.type,
    userId: decision.userId,
    deniedUserId: null,
    intent: evidence.intent,
    votes: [castVote(outcome, decision, evidence, evaluated)],
    createdMs: decidedMs,
    ...progress(outcome, evidence.intent, decidedMs),
  }
}

/**
 * Merges an outcome into the stored activity. Outcomes may arrive twice and in any order, from several processes: all
 * votes are kept, and the status never goes back. Type, intent and submitter come from the opening request.
 */
export function mergedRow(
  stored: ActivityRow,
  own: ActivityRow,
  { opened, failure: refused }: Outcome,
): ActivityRow {
  // If two ran, the first is kept.
  if (stored.id !== own.id) return stored
  const { type, userId, intent, createdMs } = opened ? own : stored
  const { status, result, failure, appProofs, updatedMs } =
    (isFinal(stored) && !lacksOutcome(stored)) || stored.updatedMs > own.updatedMs
      ? stored
      : { ...own, failure: refused ? failureText(refused, intent) : null }
  const votes = mergedVotes(stored, own)
  return { ...stored, type, userId, intent, createdMs, status, result, failure, appProofs, updatedMs, votes }
}

/** Votes in the order in which they were cast, which decides when they expire. */
function mergedVotes(stored: ActivityRow, own: ActivityRow): StoredVote[] {
  const votes = new Map([...own.votes, ...stored.votes].map((vote) => [vote.id, vote]))
  return [...votes.values()].toSorted((a, b) => a.createdMs - b.createdMs || (a.id < b.id ? -1 : 1))
}

/** The outcomes of policies as a vote is stored with them. */
export type Evaluated = Pick<StoredVote, "policyOutcomes" | "listedOutcomes">

/** A denied activity, with the error that its submitter got. */
export function deniedRow(
  decision: Decision,
  evidence: VoteEvidence,
  failure: ErrorBody,
  appProofs: readonly AppProof[],
  evaluated: Evaluated,
): ActivityRow {
  const decidedMs = Number(decision.decidedAtMs)
  const vote = { ...voteEvidence(decision, evidence, evaluated), selection: "VOTE_SELECTION_APPROVED" }
  return {
    organizationId: evidence.organizationId,
    id: decision.activityId,
    fingerprint: evidence.fingerprint,
    type: evidence.activity.type,
    status: "ACTIVITY_STATUS_FAILED",
    userId: decision.userId,
    deniedUserId: decision.userId,
    intent: evidence.intent,
    result: null,
    failure: JSON.stringify(evaluated.listedOutcomes ? shortened(failure) : failure),
    votes: [vote],
    appProofs: appProofsText(appProofs),
    createdMs: decidedMs,
    updatedMs: decidedMs,
  }
}

/** Policies that the stored failure of one denial lists, where there are many. */
const MAX_LISTED = 20

/** Leaves out the policies that do not match: the vote has the outcomes of all, and the submitter was sent them. */
function shortened({ details, ...failure }: ErrorBody): ErrorBody {
  return { ...failure, details: details.map(shortenedDetail) }
}

function shortenedDetail(detail: ErrorDetail): ErrorDetail {
  const { policyEvaluations } = detail as { policyEvaluations?: readonly { outcome: string }[] }
  if (policyEvaluations === undefined) return detail
  const matching = policyEvaluations.filter(({ outcome }) => outcome !== "OUTCOME_DENY_IMPLICIT")
  return { ...detail, policyEvaluations: matching.slice(0, MAX_LISTED) }
}

/** True if a row is a denial, as opposed to an activity that ran and failed. */
export function isDenied(row: ActivityRow): row is ActivityRow & { failure: string } {
  return row.deniedUserId !== null && row.failure !== null
}

function progress(outcome: Outcome, intent: string, updatedMs: number) {
  const { status, result, failure, appProofs } = outcome
  return {
    status: ActivityStatusSchema.value[status]?.name ?? "ACTIVITY_STATUS_UNSPECIFIED",
    result: result ? jsonText(ResultSchema, result) : null,
    failure: failure ? failureText(failure, intent) : null,
    appProofs: appProofsText(appProofs),
    updatedMs,
  }
}

/** The error of an activity that failed as it ran. `intent`: of the activity, with the expression that may be at fault. */
function failureText(failure: Refused, intent: string): string {
  const [parameters] = Object.values(JSON.parse(intent) as { [intentName: string]: unknown })
  return JSON.stringify(refusedError(withExpressionAdvice(failure, parameters)).body())
}

function castVote(
  { selection }: Outcome,
  decision: Decision,
  evidence: VoteEvidence,
  evaluated: Evaluated,
): StoredVote {
  const name = VoteSelectionSchema.value[selection]?.name ?? "VOTE_SELECTION_UNSPECIFIED"
  return { ...voteEvidence(decision, evidence, evaluated), selection: name }
}

function voteEvidence(decision: Decision, { body, stamp }: VoteEvidence, evaluated: Evaluated) {
  const { voteId, userId, decidedAtMs, voterIds, mfaStatuses, logReceipt } = decision
  const message = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  const { scheme, publicKey, signature } = stamp
  const vote: Omit<StoredVote, "selection"> = {
    id: voteId,
    userId,
    message,
    scheme,
    publicKey,
    signature,
    createdMs: Number(decidedAtMs),
    ...evaluated,
  }
  if (logReceipt.length > 0) vote.logReceipt = Buffer.from(logReceipt).toString("hex")
  if (voterIds.length > 0) vote.voterIds = voterIds
  if (mfaStatuses.length > 0)
    vote.mfaStatuses = mfaStatuses.map((status) => writeJson(MfaStatusSchema, status) as MfaStatusJson)
  return vote
}
