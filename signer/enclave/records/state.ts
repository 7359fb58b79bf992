import type { Record, RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../core/refusal.ts"

/**
 * Current version of a record in the ledger, as a row: version(8, BE) || deleted(1). A record without row is at version
 * 1 and not deleted.
 */
export type RecordState = { version: bigint; deleted: boolean }

export function writeRecordState(state: RecordState): Uint8Array {
  const bytes = Buffer.alloc(9)
  bytes.writeBigUInt64BE(state.version, 0)
  bytes.writeUInt8(state.deleted ? 1 : 0, 8)
  return bytes
}

export function readRecordState(row: Uint8Array | undefined): RecordState {
  if (row === undefined) return { version: 1n, deleted: false }
  const bytes = Buffer.from(row)
  return { version: bytes.readBigUInt64BE(0), deleted: bytes.readUInt8(8) === 1 }
}

/**
 * Requires that an authenticated record is the requested one, at its current version in the ledger.
 * @throws RECORD_OF_ANOTHER_ORGANIZATION, RECORD_UNEXPECTED, RECORD_DELETED, RECORD_ROLLED_BACK
 */
export function requireCurrent(
  record: Record,
  place: { organizationId: string; id: string; kind: RecordKind },
  state: RecordState,
): Record {
  if (record.organizationId !== place.organizationId)
    throw refuse("RECORD_OF_ANOTHER_ORGANIZATION", "a stored record belongs to another organization")
  if (record.id !== place.id || record.kind !== place.kind)
    throw refuse("RECORD_UNEXPECTED", "a stored record is not the one that was asked for")
  if (state.deleted) throw refuse("RECORD_DELETED", "the resource was deleted")
  if (record.version !== state.version || record.deleted)
    throw refuse("RECORD_ROLLED_BACK", "a stored record is not at its current version")
  return record
}
