import { fromBinary } from "@bufbuild/protobuf"
import {
  type Record,
  type RecordKind,
  RecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import {
  isNewerThan,
  openRecord,
  readRecordState,
  type RecordKeys,
  type RecordState,
  requireCurrent,
} from "../../records/record.ts"
import { archiveKey, type RecordName, requireAlive } from "../state/archived-records.ts"
import { ContextNeeded } from "../state/organizations.ts"
import type { RollbackDetector } from "../state/rollback.ts"

/** One record for each name. */
export type RecordsOf<Names extends readonly RecordName[]> = { [Index in keyof Names]: Record }

/** The records that came with an order, opened when first asked for. */
export class Records {
  readonly #organizationId: string
  readonly #supplied: readonly Uint8Array[]
  readonly #keys: RecordKeys
  readonly #ledger: Ledger
  readonly #rollback: RollbackDetector
  #opened: Map<string, Record> | undefined
  /** Ids of supplied records that this run has asked for. */
  readonly #used = new Set<string>()

  constructor(
    organizationId: string,
    supplied: readonly Uint8Array[],
    keys: RecordKeys,
    { ledger, rollback }: { ledger: Ledger; rollback: RollbackDetector },
  ) {
    this.#organizationId = organizationId
    this.#supplied = supplied
    this.#keys = keys
    this.#ledger = ledger
    this.#rollback = rollback
  }

  /** True if the order brought no record. */
  get isEmpty(): boolean {
    return this.#supplied.length === 0
  }

  /** Ids of living records, each once; the order need not bring them. @throws RESOURCE_UNKNOWN, RECORD_DELETED */
  requireAlive(names: readonly RecordName[]): string[] {
    for (const name of names) requireAlive(this.#ledger, this.#organizationId, name)
    return [...new Set(names.map(({ id }) => id))]
  }

  /**
   * Requires that all of these came with the order, and asks for all missing ones at once. A record may lead to further
   * records: an order that brought exactly the records asked for so far is asked for those as well.
   * @throws RESOURCE_UNKNOWN, RECORD_DELETED, CONTEXT_MISSING when the order brought other records instead
   */
  requireSupplied(names: readonly RecordName[]): void {
    const ids = this.requireAlive(names)
    const supplied = this.#all()
    if (!ids.every((id) => supplied.has(id))) {
      const broughtMore = [...supplied.keys()].some((id) => !this.#used.has(id))
      if (broughtMore) throw this.#wrongSupply()
      const recordIds = [...new Set([...this.#used, ...ids])]
      throw new ContextNeeded({ organizationId: this.#organizationId, recordIds })
    }
    for (const id of ids) this.#used.add(id)
  }

  /** @throws RECORD_FORGED, RECORD_OF_ANOTHER_ORGANIZATION, RECORD_UNEXPECTED, RECORD_ROLLED_BACK, LEDGER_OLDER */
  open(name: RecordName): Record {
    return this.openAll([name] as const)[0]
  }

  /** In the order of the names. */
  openAll<Names extends readonly RecordName[]>(names: Names): RecordsOf<Names> {
    this.requireSupplied(names)
    const organizationId = this.#organizationId
    return names.map(({ kind, id }) => {
      const state = readRecordState(this.#ledger.row(organizationId, "record", id))
      const record = this.#all().get(id)!
      if (record.organizationId === organizationId && record.kind === kind) this.#requireKnown(record, state)
      return requireCurrent(record, { organizationId, id, kind }, state)
    }) as RecordsOf<Names>
  }

  /** @throws LEDGER_OLDER */
  #requireKnown(record: Record, state: RecordState): void {
    if (!isNewerThan(state, record) && !this.#contradictsArchive(record, state)) return
    const { organizationId, id: recordId, version } = record
    const ledgerVersion = state.version
    const older = this.#rollback.report({ organizationId, recordId, version, ledgerVersion })
    if (older !== undefined) throw older
    throw refuse("RECORD_ROLLED_BACK", "a stored record is not at its current version")
  }

  /** True if a rolled-back or copied ledger made the record: each version of a record has one content. */
  #contradictsArchive({ kind, id, version, mac }: Record, state: RecordState): boolean {
    const archived = this.#ledger.row(this.#organizationId, "archive-record", archiveKey(kind, id))
    if (archived === undefined || version !== state.version) return false
    return Buffer.compare(fromBinary(RecordSchema, archived).mac, mac) !== 0
  }

  /** Living records of these kinds from the ledger's archive. */
  archived(kinds: readonly RecordKind[]): Record[] {
    return this.#ledger
      .rows(this.#organizationId, "archive-record")
      .map(({ value }) => openRecord(value, this.#keys))
      .filter(({ kind, deleted }) => !deleted && kinds.includes(kind))
  }

  #all(): Map<string, Record> {
    if (this.#opened === undefined) {
      const records = this.#supplied.map((bytes) => openRecord(bytes, this.#keys))
      this.#opened = new Map(records.map((record) => [record.id, record]))
    }
    return this.#opened
  }

  #wrongSupply() {
    const supplied = [...this.#all().values()]
    const isForeign = supplied.some(({ organizationId }) => organizationId !== this.#organizationId)
    return isForeign
      ? refuse("RECORD_OF_ANOTHER_ORGANIZATION", "a stored record belongs to another organization")
      : refuse("CONTEXT_MISSING", "stored records that the request concerns were not supplied")
  }
}
