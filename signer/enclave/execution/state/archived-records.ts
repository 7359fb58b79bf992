import type { Record, RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { requireInvariant } from "../../../core/invariant.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Ledger, RowName } from "../../ledger/ledger.ts"
import type { RecordKeys, RecordState } from "../../records/record.ts"
import { openRecord, readRecordState, requireCurrent } from "../../records/record.ts"

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

/** The rows that tell a record's state. */
export function rowsOf({ kind, id }: RecordName): RowName[] {
  return [
    { kind: "archive-record", key: archiveKey(kind, id) },
    { kind: "record", key: id },
  ]
}

/** The ledger's state of a living record, without opening the record. @throws RESOURCE_UNKNOWN, RECORD_DELETED */
export function requireAlive(
  ledger: Ledger,
  organizationId: string,
  { kind, id, field }: RecordName,
): RecordState {
  const at = field === undefined ? {} : { field }
  if (ledger.row(organizationId, "archive-record", archiveKey(kind, id)) === undefined)
    throw refuse("RESOURCE_UNKNOWN", `organization ${organizationId} has no such resource: ${id}`, at)
  const state = readRecordState(ledger.row(organizationId, "record", id))
  if (state.deleted) throw refuse("RECORD_DELETED", `the resource was deleted: ${id}`, at)
  return state
}

/** Weight of a record that is kept, at least: most have about a kilobyte. */
const MIN_WEIGHT = 1024
/** Bytes of parsed records kept: about ten thousand; their secrets stay sealed. */
const MAX_CACHED_BYTES = 10_000 * MIN_WEIGHT

/** Current records of the ledger's archive. Decisions read these, so omitting records from an order changes none. */
export class ArchivedRecords {
  readonly #ledger: Ledger
  readonly #keys: RecordKeys
  /** By organization, kind and id. A record stays valid while its version is the latest. */
  readonly #cache = new RecentlyUsed<string, Record>(MAX_CACHED_BYTES)

  constructor(ledger: Ledger, keys: RecordKeys) {
    this.#ledger = ledger
    this.#keys = keys
  }

  /** @throws RESOURCE_UNKNOWN, RECORD_DELETED */
  open(organizationId: string, name: RecordName): Record {
    const { kind, id } = name
    const state = requireAlive(this.#ledger, organizationId, name)
    const key = archiveKey(kind, id)
    const cacheKey = `${organizationId} ${key}`
    const cached = this.#cache.get(cacheKey)
    if (cached?.version === state.version) return cached
    const bytes = this.#ledger.row(organizationId, "archive-record", key)
    requireInvariant(bytes !== undefined, "the archive has every living record")
    const record = requireCurrent(openRecord(bytes, this.#keys), { organizationId, id, kind }, state)
    this.#cache.set(cacheKey, record, Math.max(MIN_WEIGHT, bytes.length))
    return record
  }
}
