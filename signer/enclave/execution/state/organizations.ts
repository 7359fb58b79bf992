import type { Organization } from "../../../core/organization/organization.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import { type Refusal, refuse } from "../../../core/refusal.ts"
import type { Ledger, OrganizationHead } from "../../ledger/ledger.ts"
import { type Notary, openDocument } from "../../organization/notarize.ts"
import { contextNeeded } from "./context-needed.ts"
import type { RollbackDetector } from "./rollback.ts"

/**
 * Bytes of parsed documents kept, so that a request need not bring its own: about 4,000 small ones. The limit is in
 * bytes because the largest documents are a thousand times as large, and one caller may govern many organizations.
 */
const MAX_CACHED_WEIGHT = 64 * 1024 * 1024

/** Memory of the smallest parsed document, bytes. */
const MIN_WEIGHT = 16 * 1024

/** Opens organizations at the ledger's version only: never an older, newer or foreign document. */
export class Organizations {
  readonly #ledger: Ledger
  readonly #rollback: RollbackDetector
  readonly #cache = new RecentlyUsed<string, Organization>(MAX_CACHED_WEIGHT)

  constructor(ledger: Ledger, rollback: RollbackDetector) {
    this.#ledger = ledger
    this.#rollback = rollback
  }

  /** Number of parsed documents in memory. */
  get size(): number {
    return this.#cache.size
  }

  /** The organization that the body names. */
  openCurrent(organizationId: string, supplied: SuppliedDocuments): Organization {
    const organization = this.#find(organizationId, supplied)
    if (organization !== undefined) return requireNotDeleted(organization)
    if (!supplied.any) throw this.#need(organizationId)
    const sentence = "the organization document is that of another organization"
    throw refuse("DOCUMENT_OF_ANOTHER_ORGANIZATION", sentence)
  }

  /** A related organization: the parent, or the sub-organization that a login is for. */
  openRelated(organizationId: string, supplied: SuppliedDocuments): Organization {
    const organization = this.findRelated(organizationId, supplied)
    if (organization === undefined) throw this.#need(organizationId)
    return organization
  }

  /** As `openRelated`, but undefined for a missing document; `documentNeeded` then names it. */
  findRelated(organizationId: string, supplied: SuppliedDocuments): Organization | undefined {
    const organization = this.#find(organizationId, supplied)
    return organization && requireNotDeleted(organization)
  }

  /** The document of an organization that `findRelated` did not find. */
  documentNeeded(organizationId: string) {
    return { organizationId, version: this.#ledger.head(organizationId)!.version }
  }

  /** Caches a version that this process has made, after the ledger has it. */
  remember(organization: Organization): void {
    this.#cache.set(organization.id, organization, MIN_WEIGHT + organization.bytes)
  }

  #find(organizationId: string, supplied: SuppliedDocuments): Organization | undefined {
    const shown = supplied.find(organizationId)
    const head = this.#ledger.head(organizationId)
    if (head === undefined) throw this.#unknown(organizationId, shown)
    if (shown !== undefined && !isAt(shown, head)) {
      const current = `organization ${organizationId} is at version ${head.version}`
      const { version } = shown.document
      const isNewer = version >= head.version
      const older = isNewer && this.#rollback.report({ organizationId, version, ledgerVersion: head.version })
      if (older) throw older
      throw refuse("DOCUMENT_ROLLED_BACK", `${current}, the document shown is version ${version}`)
    }
    // One object for one version: what is computed of it, such as compiled policies, is kept by the object.
    const cached = this.#cache.get(organizationId)
    if (cached !== undefined && isAt(cached, head)) return cached
    if (shown !== undefined) this.remember(shown)
    return shown
  }

  #need(organizationId: string) {
    return contextNeeded({ organizationId, documents: [this.documentNeeded(organizationId)] })
  }

  /** The ledger never forgets an organization, so an authentic document of an unknown one is newer than the ledger. */
  #unknown(organizationId: string, shown: Organization | undefined): Refusal {
    const older = shown && this.#rollback.report({ organizationId, version: shown.document.version })
    return older ?? unknownOrganization(organizationId)
  }
}

export function unknownOrganization(organizationId: string) {
  const sentence = `failed to load organizations: no organization found with the given ID ${organizationId}`
  return refuse("ORGANIZATION_UNKNOWN", sentence)
}

function requireNotDeleted(organization: Organization): Organization {
  if (organization.document.deletedAtMs === 0n) return organization
  const sentence = `failed to load organizations: organization ${organization.id} was deleted`
  throw refuse("ORGANIZATION_DELETED", sentence)
}

function isAt(organization: Organization, head: OrganizationHead): boolean {
  const { document, digest } = organization
  return document.version === head.version && Buffer.compare(digest, head.digest) === 0
}

/** Documents in one order: of the organization, and of its parent or the sub-organization found for a login. */
const MAX_SUPPLIED = 2

/** The documents that came with an order, opened once, when first looked for. */
export class SuppliedDocuments {
  readonly #notarized: readonly Uint8Array[]
  readonly #notary: Notary
  #opened: ReadonlyMap<string, Organization> | undefined

  /** @throws REQUEST_TOO_LARGE */
  constructor(notarized: readonly Uint8Array[], notary: Notary) {
    if (notarized.length > MAX_SUPPLIED)
      throw refuse("REQUEST_TOO_LARGE", `an order brings at most ${MAX_SUPPLIED} documents`)
    this.#notarized = notarized
    this.#notary = notary
  }

  get any(): boolean {
    return this.#notarized.length > 0
  }

  /** An authentic document, which need not be current. @throws DOCUMENT_FORGED */
  find(organizationId: string): Organization | undefined {
    if (!this.any) return undefined
    this.#opened ??= new Map(
      this.#notarized.map((notarized) => {
        const organization = openDocument(notarized, this.#notary)
        return [organization.id, organization]
      }),
    )
    return this.#opened.get(organizationId)
  }
}
