import { Lru } from "../../common/lru.ts"
import type { Archive } from "../signer/archive.ts"
import { Organization } from "./stored-organization.ts"
import type { Database } from "../store/database.ts"
import { getOrganization, type OrganizationRow } from "../store/organizations.ts"

/** Documents kept decoded. A document of ten users takes some 30 KB. */
const MAX_CACHED = 4096

/** For how long what was read may stand for what is there, where a rule is enforced by it. */
const RECENT_MS = 2000

/** The organizations of this process: decoded once for each version. */
export class Organizations {
  readonly #sql: Database
  readonly #clock: () => number
  readonly #cache = new Lru<string, Organization>(MAX_CACHED)
  /** When each was last seen in the database, monotonic milliseconds. */
  readonly #seenMs = new Lru<string, number>(MAX_CACHED)
  readonly #renewing = new Map<string, Promise<Organization | undefined>>()
  readonly #loading = new Map<string, Promise<Organization | undefined>>()

  /** Brings back what the database lost; undefined until the signer can be asked. */
  #archive: Pick<Archive, "restore" | "catchUp"> | undefined

  /** @param clock monotonic milliseconds */
  constructor(sql: Database, clock: () => number = () => performance.now()) {
    this.#sql = sql
    this.#clock = clock
  }

  /** Where what the database does not know is looked for. */
  useArchive(archive: Pick<Archive, "restore" | "catchUp">): void {
    this.#archive = archive
  }

  /** From memory where it is there. It may be older than the database's: refresh before refusing. */
  async get(id: string): Promise<Organization | undefined> {
    const known = this.#cache.get(id)
    if (known !== undefined) return known
    const underWay = this.#loading.get(id)
    if (underWay !== undefined) return underWay
    const loading = this.refresh(id).finally(() => this.#loading.delete(id))
    this.#loading.set(id, loading)
    return loading
  }

  /** At most two seconds old: another process may have stored a version that this one has not seen. */
  async recent(id: string): Promise<Organization | undefined> {
    const seenMs = this.#seenMs.get(id)
    const isRecent = seenMs !== undefined && this.#clock() - seenMs < RECENT_MS
    const known = isRecent ? this.#cache.get(id) : undefined
    return known ?? this.#renewing.get(id) ?? this.#renew(id)
  }

  /** One look for all who ask meanwhile: under load there are many at the moment at which two seconds are over. */
  #renew(id: string): Promise<Organization | undefined> {
    const renewing = this.refresh(id).finally(() => this.#renewing.delete(id))
    this.#renewing.set(id, renewing)
    return renewing
  }

  /** From memory alone. */
  peek(id: string): Organization | undefined {
    return this.#cache.get(id)
  }

  /**
   * As the database has it now, or newer where this process has stored something since. Never shared with a
   * look that began earlier: what was committed before the call is seen.
   */
  async refresh(id: string): Promise<Organization | undefined> {
    const askedMs = this.#clock()
    const row = (await getOrganization(this.#sql, id)) ?? (await this.#restored(id))
    this.#seenMs.set(id, askedMs)
    const known = this.#cache.get(id)
    if (row === undefined || (known !== undefined && known.version >= row.version)) return known
    const organization = new Organization(row.document)
    this.#remember(organization)
    return organization
  }

  /** As `refresh`, once the signer was asked whether the database is behind. Before somebody is refused. */
  async catchUp(id: string): Promise<Organization | undefined> {
    const known = await this.refresh(id)
    if (known === undefined || this.#archive === undefined) return known
    return (await this.#archive.catchUp(id, known.version)) ? this.refresh(id) : known
  }

  /** A lost database is healed one organization at a time, when somebody asks for it. */
  async #restored(id: string): Promise<OrganizationRow | undefined> {
    if (this.#archive === undefined || this.#cache.get(id) !== undefined) return undefined
    return (await this.#archive.restore(id)) ? getOrganization(this.#sql, id) : undefined
  }

  /** Takes over a version that this process has just stored. */
  put(organization: Organization): void {
    const known = this.#cache.get(organization.id)
    if (known === undefined || known.version < organization.version) {
      this.#remember(organization)
    }
  }

  #remember(organization: Organization): void {
    this.#cache.set(organization.id, organization)
  }
}
