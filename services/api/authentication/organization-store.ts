import { RecentlyUsed } from "../../../signer/core/recently-used.ts"
import type { LedgerSync } from "../signer/ledger-sync.ts"
import type { Database } from "../../database/database.ts"
import { getNewerOrganization, getOrganization, type OrganizationRow } from "../store/organizations.ts"
import { StoredOrganization } from "../store/stored-organization.ts"
import { MAX_CACHED_ORGANIZATIONS, type OrganizationCache } from "./organization-cache.ts"

/** Largest age of a document by which a rule is enforced. */
const RECENT_MS = 2000

type OrganizationStoreDeps = {
  sql: Database
  cache: OrganizationCache
  ledgerSync: Pick<LedgerSync, "restoreUnknown" | "restoreNewer">
  /** Monotonic milliseconds. */
  elapsedMs?: () => number
}

/** Organizations from memory, from the database, or from the signer's archive if the database lost them. */
export class OrganizationStore {
  readonly #deps: OrganizationStoreDeps
  readonly #elapsedMs: () => number
  /** Time of the latest read from the database, monotonic milliseconds. */
  readonly #readAtMs = new RecentlyUsed<string, number>(MAX_CACHED_ORGANIZATIONS)
  readonly #renewing = new Map<string, Promise<StoredOrganization | undefined>>()
  readonly #loading = new Map<string, Promise<StoredOrganization | undefined>>()

  constructor(deps: OrganizationStoreDeps) {
    this.#deps = deps
    this.#elapsedMs = deps.elapsedMs ?? (() => performance.now())
  }

  /** The organization in memory, if any. */
  peek(id: string): StoredOrganization | undefined {
    return this.#deps.cache.get(id)
  }

  /** The organization from memory if possible. The result may be older than the database's version: refresh before refusing. */
  async get(id: string): Promise<StoredOrganization | undefined> {
    return this.peek(id) ?? this.#shared(this.#loading, id)
  }

  /** A version at most two seconds old: another process may have stored a version that this process has not read. */
  async recent(id: string): Promise<StoredOrganization | undefined> {
    const readAtMs = this.#readAtMs.get(id)
    const isRecent = readAtMs !== undefined && this.#elapsedMs() - readAtMs < RECENT_MS
    return (isRecent ? this.peek(id) : undefined) ?? this.#shared(this.#renewing, id)
  }

  /**
   * The database's version, or a newer one that this process has stored since. The read is never shared with an
   * earlier caller: everything committed before the call is seen.
   */
  async refresh(id: string): Promise<StoredOrganization | undefined> {
    const { sql, cache } = this.#deps
    const startMs = this.#elapsedMs()
    const before = cache.get(id)
    // A document has up to 2 MiB, and a request needs no stamp to cause this read.
    const row = before
      ? await getNewerOrganization(sql, id, before.version)
      : ((await getOrganization(sql, id)) ?? (await this.#restored(id)))
    this.#readAtMs.set(id, startMs)
    const known = cache.get(id) ?? before
    if (row === undefined || (known !== undefined && known.version >= row.version)) return known
    const organization = new StoredOrganization(row.document)
    cache.put(organization)
    return organization
  }

  /** As `refresh`, after the signer was asked for a newer version. To be called before a caller is refused. */
  async catchUp(id: string): Promise<StoredOrganization | undefined> {
    const known = await this.refresh(id)
    if (known === undefined) return undefined
    return (await this.#deps.ledgerSync.restoreNewer(id, known.version)) ? this.refresh(id) : known
  }

  /** Reads an organization; concurrent callers share one read. */
  #shared(
    running: Map<string, Promise<StoredOrganization | undefined>>,
    id: string,
  ): Promise<StoredOrganization | undefined> {
    const earlier = running.get(id)
    if (earlier !== undefined) return earlier
    const started = this.refresh(id).finally(() => running.delete(id))
    running.set(id, started)
    return started
  }

  /** A lost database is restored one organization at a time, on request. */
  async #restored(id: string): Promise<OrganizationRow | undefined> {
    if (this.peek(id) !== undefined) return undefined
    const { sql, ledgerSync } = this.#deps
    return (await ledgerSync.restoreUnknown(id)) ? getOrganization(sql, id) : undefined
  }
}
