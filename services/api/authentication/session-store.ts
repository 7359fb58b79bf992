import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordSchema,
  type SessionRecord,
  SessionRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { Lru } from "../../common/lru.ts"
import type { Database } from "../store/database.ts"
import { getSession, type SessionRow } from "../store/sessions.ts"

/** A key that stamps for a user until it expires; `id` is that of its record. */
export type Session = SessionRecord & { id: string }

/** Sessions kept decoded, about 600 bytes each. */
const MAX_CACHED = 10_000

/**
 * The sessions of this process, for early authentication. One in memory may have been ended by another process: the
 * signer then refuses it, and it is forgotten here.
 */
export class Sessions {
  readonly #sql: Database
  readonly #cache = new Lru<string, Session>(MAX_CACHED)

  constructor(sql: Database) {
    this.#sql = sql
  }

  /** From memory alone. */
  peek(organizationId: string, publicKey: string): Session | undefined {
    return this.#cache.get(nameOf(organizationId, publicKey))
  }

  /** As the database has it now. */
  async refresh(organizationId: string, publicKey: string): Promise<Session | undefined> {
    const row = await getSession(this.#sql, organizationId, publicKey)
    const session = row && readSession(row)
    if (session) this.#cache.set(nameOf(organizationId, publicKey), session)
    else this.forget(organizationId, publicKey)
    return session
  }

  forget(organizationId: string, publicKey: string): void {
    this.#cache.delete(nameOf(organizationId, publicKey))
  }
}

export function readSession({ id, bytes }: SessionRow): Session {
  return { ...fromBinary(SessionRecordSchema, fromBinary(RecordSchema, bytes).payload), id }
}

function nameOf(organizationId: string, publicKey: string): string {
  return `${organizationId} ${publicKey}`
}
