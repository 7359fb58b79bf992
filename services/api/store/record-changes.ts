import { fromBinary } from "@bufbuild/protobuf"
import {
  type Record,
  RecordKind,
  RecordSchema,
  SessionRecordSchema,
  WalletAccountRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { canonicalAddress } from "../../../signer/core/address/canonical.ts"
import type { RecordChange } from "./changes.ts"
import type { SessionChange } from "./sessions.ts"

/** Records of the signer with what they are looked up by, each where it is kept. */
export function recordChanges(serialized: readonly Uint8Array[]) {
  const changes: { records: RecordChange[]; sessions: SessionChange[] } = { records: [], sessions: [] }
  for (const bytes of serialized) {
    const record = fromBinary(RecordSchema, bytes)
    if (record.kind === RecordKind.SESSION) changes.sessions.push(sessionChange(record, bytes))
    else changes.records.push(recordChange(record, bytes))
  }
  return changes
}

function recordChange({ kind, id, version, deleted, payload }: Record, bytes: Uint8Array): RecordChange {
  const change = { kind, id, version, deleted, bytes }
  if (deleted || kind !== RecordKind.WALLET_ACCOUNT) return change
  const { walletId, address } = fromBinary(WalletAccountRecordSchema, payload)
  return { ...change, parentId: walletId, address: canonicalAddress(address) }
}

function sessionChange({ id, deleted, payload }: Record, bytes: Uint8Array): SessionChange {
  const { publicKey, userId, expiresAtMs } = fromBinary(SessionRecordSchema, payload)
  return { id, publicKey, userId, expiresMs: Number(expiresAtMs), ended: deleted, bytes }
}
