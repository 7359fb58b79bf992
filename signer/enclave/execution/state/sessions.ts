import { fromBinary } from "@bufbuild/protobuf"
import type { Record, SessionScope } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { RecordKind, SessionRecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Ledger } from "../../ledger/ledger.ts"
import type { Session } from "../../organization/draft.ts"
import { openRecord, type RecordKeys, requireCurrent } from "../../records/record.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import { archiveKey } from "./archived-records.ts"

/** Parsed sessions kept, about 600 bytes each without their scopes. */
const MAX_CACHED = 10_000

/** Scopes kept, at most 16 KiB each. */
const MAX_SCOPES = 1_000

/** Ids of a session's record and of its user, as the session's ledger row has them. */
export type SessionTarget = { id: string; userId: string }

/**
 * The current sessions of the ledger. A key without a row has no session: a session is ended by removing its row.
 * Records are read from the ledger's archive, so no order has to bring them.
 */
export class CurrentSessions {
  readonly #ledger: Ledger
  readonly #keys: RecordKeys
  /** By organization and id. A session never changes while its row exists; it is frozen, because requests share it. */
  readonly #read = new RecentlyUsed<string, Session>(MAX_CACHED)
  /** By profile. Sessions of one profile share its scope, which may be long and never changes. */
  readonly #scopes = new RecentlyUsed<string, SessionScope>(MAX_SCOPES)

  constructor(ledger: Ledger, keys: RecordKeys) {
    this.#ledger = ledger
    this.#keys = keys
  }

  /** The session of a public key, expired or not. */
  find(organizationId: string, publicKey: string): Session | undefined {
    const row = this.#ledger.row(organizationId, "session", publicKey)
    return row && this.session(organizationId, readSessionTarget(row).id)
  }

  /** Targets of all sessions, read from disk: call it once in an activity. */
  targets(organizationId: string): SessionTarget[] {
    return this.#ledger.rows(organizationId, "session").map(({ value }) => readSessionTarget(value))
  }

  /** Undefined when the session has expired and its record was purged before its row. */
  record(organizationId: string, id: string): Record | undefined {
    const kind = RecordKind.SESSION
    const bytes = this.#ledger.row(organizationId, "archive-record", archiveKey(kind, id))
    if (bytes === undefined) return undefined
    return requireCurrent(openRecord(bytes, this.#keys), { organizationId, id, kind }, NEVER_CHANGED)
  }

  session(organizationId: string, id: string): Session | undefined {
    const name = `${organizationId} ${id}`
    const known = this.#read.get(name)
    if (known !== undefined) return known
    const record = this.record(organizationId, id)
    if (record === undefined) return undefined
    const read = fromBinary(SessionRecordSchema, record.payload)
    const session = Object.freeze({ ...read, ...(read.scope && { scope: this.#shared(read.scope) }), id })
    this.#read.set(name, session)
    return session
  }

  #shared(scope: SessionScope): SessionScope {
    const known = this.#scopes.get(scope.sessionProfileId)
    if (known === undefined) this.#scopes.set(scope.sessionProfileId, Object.freeze(scope))
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
