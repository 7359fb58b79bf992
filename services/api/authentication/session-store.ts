import { RecentlyUsed } from "../../../signer/core/recently-used.ts"
import type { Database } from "../../database/database.ts"
import { getSession, readSession, type StoredSession } from "../store/sessions.ts"

/** Sessions kept decoded, about 600 bytes each. */
const MAX_CACHED = 10_000

/**
 * Sessions from memory or the database. A session in memory may have been ended by another process: the signer then
 * refuses its key, and the session is forgotten here.
 */
export class SessionStore {
  readonly #sql: Database
  readonly #cache = new RecentlyUsed<string, StoredSession>(MAX_CACHED)

  constructor(sql: Database) {
    this.#sql = sql
  }

  /** The session in memory, if any. */
  peek(organizationId: string, publicKey: string): StoredSession | undefined {
    return this.#cache.get(cacheKey(organizationId, publicKey))
  }

  /** The database's version of the session. */
  async refresh(organizationId: string, publicKey: string): Promise<StoredSession | undefined> {
    const row = await getSession(this.#sql, organizationId, publicKey)
    const session = row && readSession(row)
    if (session) this.#cache.set(cacheKey(organizationId, publicKey), session)
    else this.forget(organizationId, publicKey)
    return session
  }

  forget(organizationId: string, publicKey: string): void {
    this.#cache.delete(cacheKey(organizationId, publicKey))
  }
}

function cacheKey(organizationId: string, publicKey: string): string {
  return `${organizationId} ${publicKey}`
}
