import type { Record, RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import { openRecord, type RecordKeys } from "../../records/record.ts"
import { readRecordState, requireCurrent } from "../../records/state.ts"
import { refuse } from "../../../core/refusal.ts"
import { ContextNeeded } from "../state/needed.ts"
import { type RecordName, requireAlive } from "../state/record-names.ts"

/** The records that came with an order, opened only when asked for. */
export class Records {
  readonly #organizationId: string
  readonly #supplied: readonly Uint8Array[]
  readonly #keys: RecordKeys
  readonly #ledger: Ledger
  #opened: Map<string, Record> | undefined
  /** Ids of what this run asked for and was given. */
  readonly #used = new Set<string>()

  constructor(organizationId: string, supplied: readonly Uint8Array[], keys: RecordKeys, ledger: Ledger) {
    this.#organizationId = organizationId
    this.#supplied = supplied
    this.#keys = keys
    this.#ledger = ledger
  }

  /** Ids of these records, each once; that they came with the order is not asked for. @throws as requireAlive */
  requireAlive(names: readonly RecordName[]): string[] {
    for (const name of names) requireAlive(this.#ledger, this.#organizationId, name)
    return [...new Set(names.map(({ id }) => id))]
  }

  /**
   * Makes sure that all of these came with the order, asking for all that did not at once. What one record says
   * may lead to others: an order that brought no more than it was asked for is asked for those as well.
   *
   * @throws RESOURCE_UNKNOWN, RECORD_DELETED, CONTEXT_MISSING when a record was asked for in vain
   */
  requireAtHand(names: readonly RecordName[]): void {
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

  /**
   * @throws RECORD_FORGED, RECORD_OF_ANOTHER_ORGANIZATION, RECORD_UNEXPECTED, RECORD_ROLLED_BACK, and what
   *   requireAtHand throws
   */
  open(name: RecordName): Record {
    return this.openAll([name])[0]!
  }

  /** In the order of the names. @throws as open */
  openAll(names: readonly RecordName[]): Record[] {
    this.requireAtHand(names)
    const organizationId = this.#organizationId
    return names.map(({ kind, id }) => {
      const state = readRecordState(this.#ledger.row(organizationId, "record", id))
      return requireCurrent(this.#all().get(id)!, { organizationId, id, kind }, state)
    })
  }

  /** From the ledger's own archive, which needs nobody's supply. */
  archived(kinds: readonly RecordKind[]): Record[] {
    return this.#ledger
      .rows(this.#organizationId, "archive-record")
      .map(({ value }) => openRecord(value, this.#keys))
      .filter(({ kind, deleted }) => !deleted && kinds.includes(kind))
  }

  #all(): Map<string, Record> {
    if (this.#opened !== undefined) return this.#opened
    this.#opened = new Map()
    for (const bytes of this.#supplied) {
      const record = openRecord(bytes, this.#keys)
      this.#opened.set(record.id, record)
    }
    return this.#opened
  }

  /** Something was supplied, but not what was asked for: say what it was. */
  #wrongSupply() {
    for (const record of this.#all().values()) {
      if (record.organizationId !== this.#organizationId) {
        return refuse("RECORD_OF_ANOTHER_ORGANIZATION", "a stored record belongs to another organization")
      }
    }
    return refuse("CONTEXT_MISSING", "stored records that the request concerns were not supplied")
  }
}
