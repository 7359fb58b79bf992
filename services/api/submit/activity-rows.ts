import type { ActivityEntry } from "../../../proto/catalog.ts"
import { ResultSchema } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { ActivityStatusSchema, VoteSelectionSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Decision, Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Stamp } from "../../../signer/stamp/index.ts"
import type { ErrorBody } from "../../common/api-error.ts"
import { refusedError } from "../errors.ts"
import { jsonText } from "../json-text.ts"
import type { ActivityRow } from "../store/activities.ts"
import { readVotes, type StoredVote } from "../votes.ts"

/** The request that brought an outcome about: what the vote is shown with. */
export type Evidence = {
  body: Uint8Array
  /** SHA-256 of the body. */
  fingerprint: Uint8Array
  organizationId: string
  activity: ActivityEntry
  intent: string
  stamp: StampParts
}

/** A stamp as votes show it, all hexadecimal but the scheme. */
export type StampParts = { scheme: string; publicKey: string; signature: string }

export function stampParts({ scheme, publicKeyHex, signature }: Stamp): StampParts {
  const hex = Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength).toString("hex")
  return { scheme, publicKey: publicKeyHex, signature: hex }
}

/** The activity that an order opened. */
export function openedRow(outcome: Outcome, decision: Decision, evidence: Evidence): ActivityRow {
  const decidedMs = Number(decision.decidedAtMs)
  return {
    organizationId: outcome.organizationId,
    id: decision.activityId,
    fingerprint: outcome.activityFingerprint,
    type: evidence.activity.type,
    userId: decision.userId,
    intent: evidence.intent,
    votes: JSON.stringify([castVote(outcome, decision, evidence)]),
    createdMs: decidedMs,
    ...progress(outcome, decidedMs),
  }
}

/** An activity with one vote more. A vote that is there already is not doubled. */
export function votedRow(
  target: ActivityRow,
  outcome: Outcome,
  decision: Decision,
  evidence: Evidence,
): ActivityRow {
  const votes = readVotes(target.votes)
  const isKnown = votes.some(({ id }) => id === decision.voteId)
  const all = isKnown ? votes : [...votes, castVote(outcome, decision, evidence)]
  return { ...target, votes: JSON.stringify(all), ...progress(outcome, Number(decision.decidedAtMs)) }
}

/** An activity that was denied: kept for its history, with the answer that its submitter got. */
export function deniedRow(decision: Decision, evidence: Evidence, failure: ErrorBody): ActivityRow {
  const decidedMs = Number(decision.decidedAtMs)
  const vote = { ...voteEvidence(decision, evidence), selection: "VOTE_SELECTION_APPROVED" }
  return {
    organizationId: evidence.organizationId,
    id: decision.activityId,
    fingerprint: evidence.fingerprint,
    type: evidence.activity.type,
    status: "ACTIVITY_STATUS_FAILED",
    userId: decision.userId,
    intent: evidence.intent,
    result: null,
    failure: JSON.stringify(failure),
    votes: JSON.stringify([vote]),
    createdMs: decidedMs,
    updatedMs: decidedMs,
  }
}

function progress(outcome: Outcome, updatedMs: number) {
  const { status, result, failure } = outcome
  return {
    status: ActivityStatusSchema.value[status]?.name ?? "ACTIVITY_STATUS_UNSPECIFIED",
    result: result ? jsonText(ResultSchema, result) : null,
    failure: failure ? JSON.stringify(refusedError(failure).body()) : null,
    updatedMs,
  }
}

function castVote({ selection }: Outcome, decision: Decision, evidence: Evidence): StoredVote {
  const name = VoteSelectionSchema.value[selection]?.name ?? "VOTE_SELECTION_UNSPECIFIED"
  return { ...voteEvidence(decision, evidence), selection: name }
}

function voteEvidence({ voteId, userId, decidedAtMs }: Decision, { body, stamp }: Evidence) {
  const message = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  return { id: voteId, userId, message, ...stamp, createdMs: Number(decidedAtMs) }
}
