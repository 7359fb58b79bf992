import { fromBinary } from "@bufbuild/protobuf"
import {
  type Record,
  RecordKind,
  SessionRecordSchema,
  type SessionScope,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { Session } from "../../organization/draft.ts"
import { openRecord, type RecordKeys } from "../../records/record.ts"
import { requireCurrent } from "../../records/state.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import { archiveKey } from "./record-names.ts"

/** Sessions kept read, about 600 bytes each beside their scopes. */
const MAX_CACHED = 10_000

/** Scopes kept, of at most 16 KiB each. */
const MAX_SCOPES = 1_000

/** What the ledger's row of a session says: which record it is, and whose. */
export type SessionTarget = { id: string; userId: string }

/**
 * Sessions as the ledger has them now. A key without a row has no session, whatever is shown from elsewhere: ending one
 * is removing its row. Its record is read from the ledger's own archive, so that no order has to bring it.
 */
export class Sessions {
  readonly #ledger: Ledger
  readonly #keys: RecordKeys
  /** By organization and id. A session never changes, so what was read of it stays true while its row stands. */
  readonly #read = new RecentlyUsed<string, Session>(MAX_CACHED)
  /** By profile: sessions of one share its text, which may be long, and never changes. */
  readonly #scopes = new RecentlyUsed<string, SessionScope>(MAX_SCOPES)

  constructor(ledger: Ledger, keys: RecordKeys) {
    this.#ledger = ledger
    this.#keys = keys
  }

  /** The session that a key stamps in, expired or not. */
  find(organizationId: string, publicKey: string): Session | undefined {
    const row = this.#ledger.row(organizationId, "session", publicKey)
    return row && this.session(organizationId, readSessionTarget(row).id)
  }

  /** What the rows of all sessions say. Reads them from disk: once in an activity. */
  targets(organizationId: string): SessionTarget[] {
    return this.#ledger.rows(organizationId, "session").map(({ value }) => readSessionTarget(value))
  }

  /** Undefined: it has expired, and its record was purged before its row. */
  record(organizationId: string, id: string): Record | undefined {
    const kind = RecordKind.SESSION
    const bytes = this.#ledger.row(organizationId, "archive-record", archiveKey(kind, id))
    if (bytes === undefined) return undefined
    return requireCurrent(openRecord(bytes, this.#keys), { organizationId, id, kind }, NEVER_CHANGED)
  }

  /** Undefined: as for `record`. */
  session(organizationId: string, id: string): Session | undefined {
    const name = `${organizationId} ${id}`
    const known = this.#read.get(name)
    if (known !== undefined) return known
    const record = this.record(organizationId, id)
    if (record === undefined) return undefined
    const read = fromBinary(SessionRecordSchema, record.payload)
    const session = { ...read, ...(read.scope && { scope: this.#shared(read.scope) }), id }
    this.#read.set(name, session)
    return session
  }

  #shared(scope: SessionScope): SessionScope {
    const known = this.#scopes.get(scope.sessionProfileId)
    if (known === undefined) this.#scopes.set(scope.sessionProfileId, scope)
    return known ?? scope
  }
}

const NEVER_CHANGED = { version: 1n, deleted: false }

/** `<record id> <user id>` */
export function writeSessionTarget({ id, userId }: SessionTarget): Uint8Array {
  return Buffer.from(`${id} ${userId}`)
}

function readSessionTarget(row: Uint8Array): SessionTarget {
  const [id = "", userId = ""] = Buffer.from(row).toString().split(" ")
  return { id, userId }
}
