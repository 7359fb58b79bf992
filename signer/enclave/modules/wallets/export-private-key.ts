import { fromBinary, toBinary } from "@bufbuild/protobuf"
import { PrivateKeyRecordSchema, RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Activity } from "../../activities/activity.ts"

const needs = ["exportBundle", "vault"] as const

/** Returns a private key, the scalar or the seed of RFC 8032, sealed to the key in the request. */
export const exportPrivateKey: Activity<"exportPrivateKey", typeof needs> = {
  needs,
  run({ privateKeyId, targetPublicKey }, context) {
    const { changes, nowMs, vault } = context
    const target = context.exportBundle.to(targetPublicKey)
    const stored = context.records.open(RecordKind.PRIVATE_KEY, privateKeyId, "parameters.privateKeyId")
    const exportBundle = target.seal(vault.openSecret(stored), { privateKeyId: stored.id })
    const key = fromBinary(PrivateKeyRecordSchema, stored.payload)
    if (!key.exported) {
      const exported = { ...key, exported: true, updatedAtMs: BigInt(nowMs) }
      changes.changeRecord(stored, toBinary(PrivateKeyRecordSchema, exported))
    }
    return { privateKeyId: stored.id, exportBundle }
  },
}
