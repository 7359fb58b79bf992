import type { Record } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import { openRecord, type RecordKeys, requireCurrent } from "../../records/record.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import { archiveKey, type RecordName, requireAlive } from "./record-names.ts"

/** Parsed records kept, about a kilobyte each; their secrets stay sealed. */
const MAX_KEPT = 10_000

/** Current records of the ledger's archive. Decisions read these, so leaving records out of an order changes none. */
export class ArchivedRecords {
  readonly #ledger: Ledger
  readonly #keys: RecordKeys
  /** By organization, kind and id. A record stays valid while its version is the latest. */
  readonly #kept = new RecentlyUsed<string, Record>(MAX_KEPT)

  constructor(ledger: Ledger, keys: RecordKeys) {
    this.#ledger = ledger
    this.#keys = keys
  }

  /** @throws RESOURCE_UNKNOWN, RECORD_DELETED */
  open(organizationId: string, name: RecordName): Record {
    const { kind, id } = name
    const state = requireAlive(this.#ledger, organizationId, name)
    const key = archiveKey(kind, id)
    const place = `${organizationId} ${key}`
    const kept = this.#kept.get(place)
    if (kept?.version === state.version) return kept
    const bytes = this.#ledger.row(organizationId, "archive-record", key)
    if (bytes === undefined) throw new Error("the archive has every living record")
    const record = requireCurrent(openRecord(bytes, this.#keys), { organizationId, id, kind }, state)
    this.#kept.set(place, record)
    return record
  }
}
