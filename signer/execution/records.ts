import type { Record, RecordKind } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { openRecord, type RecordKeys } from "../record/record.ts"
import { readRecordState, requireInPlace } from "../record/state.ts"
import { refuse } from "../refusal.ts"
import { ContextNeeded } from "./needed.ts"

export type RecordName = { kind: RecordKind; id: string }

/** Key of a record's row in the ledger's archive. */
export function archiveKey(kind: RecordKind, id: string): string {
  return `${kind}/${id}`
}

/** The records that came with an order, opened only when asked for. */
export class Records {
  readonly #organizationId: string
  readonly #supplied: readonly Uint8Array[]
  readonly #keys: RecordKeys
  readonly #ledger: Ledger
  #opened: Map<string, Record> | undefined

  constructor(organizationId: string, supplied: readonly Uint8Array[], keys: RecordKeys, ledger: Ledger) {
    this.#organizationId = organizationId
    this.#supplied = supplied
    this.#keys = keys
    this.#ledger = ledger
  }

  /**
   * Makes sure that all of these came with the order, asking for all that did not at once.
   *
   * @throws RESOURCE_UNKNOWN when no such record was ever born, CONTEXT_MISSING when it was asked for in vain
   */
  requireAtHand(names: readonly RecordName[]): void {
    for (const { kind, id } of names) {
      if (this.#ledger.row(this.#organizationId, "archive-record", archiveKey(kind, id)) !== undefined)
        continue
      throw refuse("RESOURCE_UNKNOWN", `organization ${this.#organizationId} has no such resource: ${id}`)
    }
    if (names.every(({ id }) => this.#all().has(id))) return
    if (this.#supplied.length === 0) {
      throw new ContextNeeded({ organizationId: this.#organizationId, recordIds: names.map(({ id }) => id) })
    }
    throw this.#wrongSupply()
  }

  /**
   * @throws RECORD_FORGED, RECORD_OF_ANOTHER_ORGANIZATION, RECORD_UNEXPECTED, RECORD_DELETED, RECORD_ROLLED_BACK,
   *   and what requireAtHand throws
   */
  open(kind: RecordKind, id: string): Record {
    this.requireAtHand([{ kind, id }])
    const state = readRecordState(this.#ledger.row(this.#organizationId, "record", id))
    return requireInPlace(this.#all().get(id)!, { organizationId: this.#organizationId, id, kind }, state)
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
