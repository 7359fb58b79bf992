import { writeJson } from "../../../proto/write.ts"
import { fromBinary } from "@bufbuild/protobuf"
import { BootProofSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { fingerprintText } from "../resources/activity.ts"
import type { ActivityRow } from "../store/activities.ts"
import type { LooseReceipt } from "../store/decision-receipts.ts"
import type { OldSend } from "../store/old-activities.ts"
import type { StoredVote } from "../store/stored-vote.ts"

/** An activity with all that is stored of it, as one line. Its members have the names that replies give them. */
export function activityLine(row: ActivityRow, sends: readonly OldSend[]): string {
  const votes = row.votes.map((vote) => JSON.stringify(exportedVote(vote, row.id)))
  return (
    `{"activity":{"id":"${row.id}","organizationId":"${row.organizationId}","status":"${row.status}",` +
    `"type":"${row.type}","userId":"${row.userId}","isDenied":${row.deniedUserId !== null},` +
    `"intent":${row.intent},"result":${row.result ?? "{}"},"votes":[${votes.join()}],` +
    (row.appProofs === null ? "" : `"appProofs":${row.appProofs},`) +
    `"fingerprint":"${fingerprintText(row.fingerprint)}","createdAt":"${timeOf(row.createdMs)}",` +
    `"updatedAt":"${timeOf(row.updatedMs)}"${row.failure === null ? "" : `,"failure":${row.failure}`}}` +
    `${sends.length === 0 ? "" : `,"sends":${JSON.stringify(sends.map(exportedSend))}`}}`
  )
}

function exportedVote({ createdMs, ...vote }: StoredVote, activityId: string) {
  return { ...vote, user: { userId: vote.userId }, activityId, createdAt: timeOf(createdMs) }
}

function exportedSend({ activityId: _activityId, raw, failure, ...send }: OldSend) {
  return {
    ...send,
    raw: Buffer.from(raw).toString("hex"),
    ...(failure && { failure: JSON.parse(failure) as unknown }),
  }
}

/** A receipt of a decision that no activity of a file has, as one line. */
export function receiptLine({ decidedMs, receipt, ...named }: LooseReceipt): string {
  return JSON.stringify({ receipt: { ...named, decidedAt: timeOf(decidedMs), logReceipt: receipt } })
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** A boot proof as `get_boot_proof` shows it, as one line. */
export function bootProofLine(proof: Uint8Array): string {
  return JSON.stringify({ bootProof: writeJson(BootProofSchema, fromBinary(BootProofSchema, proof)) })
}

/** Keys of the processes that made an activity's app proofs. */
export function proofKeysOf({ appProofs }: Pick<ActivityRow, "appProofs">): string[] {
  const proofs = JSON.parse(appProofs ?? "[]") as { publicKey: string }[]
  return [...new Set(proofs.map(({ publicKey }) => publicKey))]
}
