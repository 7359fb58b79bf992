import { fromBinary } from "@bufbuild/protobuf"
import {
  type Record,
  type RecordKind,
  RecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import { runAtOnce, type Steps } from "../../../core/turns/steps.ts"
import { allRows, type Ledger } from "../../ledger/ledger.ts"
import {
  isNewerThan,
  openRecord,
  readRecordState,
  type RecordKeys,
  type RecordState,
  requireCurrent,
} from "../../records/record.ts"
import { archiveKey, type RecordName, requireAlive, rowsOf } from "../state/archived-records.ts"
import { contextNeeded } from "../state/context-needed.ts"
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
  *requireAlive(names: readonly RecordName[]): Steps<string[]> {
    for (const name of names) {
      yield* this.#ledger.prepare(this.#organizationId, rowsOf(name))
      requireAlive(this.#ledger, this.#organizationId, name)
      yield
    }
    return [...new Set(names.map(({ id }) => id))]
  }

  /**
   * Requires that all of these came with the order, and asks for all missing ones at once. A record may lead to further
   * records: an order that brought exactly the records asked for so far is asked for those as well.
   * @throws RESOURCE_UNKNOWN, RECORD_DELETED, CONTEXT_MISSING when the order brought other records instead
   */
  *#requireSupplied(names: readonly RecordName[]): Steps<Map<string, Record>> {
    const ids = yield* this.requireAlive(names)
    const supplied = yield* this.#all()
    if (!ids.every((id) => supplied.has(id))) {
      const broughtMore = [...supplied.keys()].some((id) => !this.#used.has(id))
      if (broughtMore) throw this.#wrongSupply(supplied)
      const recordIds = [...new Set([...this.#used, ...ids])]
      throw contextNeeded({ organizationId: this.#organizationId, recordIds })
    }
    for (const id of ids) this.#used.add(id)
    return supplied
  }

  /** @throws RECORD_FORGED, RECORD_OF_ANOTHER_ORGANIZATION, RECORD_UNEXPECTED, RECORD_ROLLED_BACK, LEDGER_OLDER */
  open(name: RecordName): Record {
    return runAtOnce(this.openAll([name] as const))[0]
  }

  /** As `open`, in the order of the names. */
  *openAll<Names extends readonly RecordName[]>(names: Names): Steps<RecordsOf<Names>> {
    const supplied = yield* this.#requireSupplied(names)
    const organizationId = this.#organizationId
    const opened: Record[] = []
    for (const { kind, id } of names) {
      const state = readRecordState(this.#ledger.row(organizationId, "record", id))
      const record = supplied.get(id)!
      if (record.organizationId === organizationId && record.kind === kind) this.#requireKnown(record, state)
      opened.push(requireCurrent(record, { organizationId, id, kind }, state))
      yield
    }
    return opened as RecordsOf<Names>
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
  *archived(kinds: readonly RecordKind[]): Steps<Record[]> {
    const found: Record[] = []
    for (const { value } of yield* allRows(this.#ledger, this.#organizationId, "archive-record")) {
      const record = openRecord(value, this.#keys)
      if (!record.deleted && kinds.includes(record.kind)) found.push(record)
      yield
    }
    return found
  }

  *#all(): Steps<Map<string, Record>> {
    if (this.#opened !== undefined) return this.#opened
    const opened = new Map<string, Record>()
    for (const bytes of this.#supplied) {
      const record = openRecord(bytes, this.#keys)
      opened.set(record.id, record)
      yield
    }
    this.#opened = opened
    return opened
  }

  #wrongSupply(supplied: ReadonlyMap<string, Record>) {
    const isForeign = [...supplied.values()].some(
      ({ organizationId }) => organizationId !== this.#organizationId,
    )
    return isForeign
      ? refuse("RECORD_OF_ANOTHER_ORGANIZATION", "a stored record belongs to another organization")
      : refuse("CONTEXT_MISSING", "stored records that the request concerns were not supplied")
  }
}
