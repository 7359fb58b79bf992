import type { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import { readRecordState, type RecordState } from "../../records/record.ts"

/** `field`: path of the request's member that names the record, where there is one. */
export type RecordName = { kind: RecordKind; id: string; field?: string | undefined }

/** The record that a caller names. Ids are compared in lower case. */
export function recordName(kind: RecordKind, id: string, field?: string): RecordName {
  return { kind, id: id.toLowerCase(), field }
}

/** Key of a record's row in the ledger's archive. */
export function archiveKey(kind: RecordKind, id: string): string {
  return `${kind}/${id}`
}

/**
 * The ledger's state of a living record, without opening the record.
 *
 * @throws RESOURCE_UNKNOWN when no such record ever existed, RECORD_DELETED
 */
export function requireAlive(
  ledger: Ledger,
  organizationId: string,
  { kind, id, field }: RecordName,
): RecordState {
  const at = field === undefined ? {} : { field }
  if (ledger.row(organizationId, "archive-record", archiveKey(kind, id)) === undefined) {
    throw refuse("RESOURCE_UNKNOWN", `organization ${organizationId} has no such resource: ${id}`, at)
  }
  const state = readRecordState(ledger.row(organizationId, "record", id))
  if (state.deleted) throw refuse("RECORD_DELETED", `the resource was deleted: ${id}`, at)
  return state
}
