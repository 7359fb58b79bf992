import type { Ledger, OrganizationHead } from "../../ledger/ledger.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { refuse } from "../../../core/refusal.ts"
import { RecentlyUsed } from "../../../core/recently-used.ts"
import { ContextNeeded } from "./needed.ts"
import type { SuppliedDocuments } from "./supplied-documents.ts"

/**
 * Bytes of parsed documents kept, so that a request need not bring its own: about 4,000 small ones. The limit is in
 * bytes because the largest documents are a thousand times as large, and one caller may govern many organizations.
 */
const MAX_CACHED_WEIGHT = 64 * 1024 * 1024

/** Memory of even the smallest parsed document, bytes. */
const WEIGHT_OF_ONE = 16 * 1024

/** Opens organizations at the ledger's version only: never an older, newer or foreign document. */
export class Organizations {
  readonly #ledger: Ledger
  readonly #cache = new RecentlyUsed<string, Organization>(MAX_CACHED_WEIGHT)

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /**
   * The organization that the body names.
   *
   * @throws ORGANIZATION_UNKNOWN, ORGANIZATION_DELETED, DOCUMENT_FORGED, DOCUMENT_OF_ANOTHER_ORGANIZATION,
   *   DOCUMENT_ROLLED_BACK
   */
  openCurrent(organizationId: string, supplied: SuppliedDocuments): Organization {
    const organization = this.#find(organizationId, supplied)
    if (organization !== undefined) return requireLiving(organization)
    if (!supplied.any) throw this.#need(organizationId)
    throw refuse(
      "DOCUMENT_OF_ANOTHER_ORGANIZATION",
      "the organization document is that of another organization",
    )
  }

  /**
   * A related organization: the parent, or the sub-organization that a login is for.
   *
   * @throws the codes of openCurrent except DOCUMENT_OF_ANOTHER_ORGANIZATION
   */
  openRelated(organizationId: string, supplied: SuppliedDocuments): Organization {
    const organization = this.#find(organizationId, supplied)
    if (organization === undefined) throw this.#need(organizationId)
    return requireLiving(organization)
  }

  /** Caches a version that this process has made, after the ledger has it. */
  remember(organization: Organization): void {
    this.#cache.set(organization.id, organization, WEIGHT_OF_ONE + organization.bytes)
  }

  /** @throws ORGANIZATION_UNKNOWN, DOCUMENT_FORGED, DOCUMENT_ROLLED_BACK */
  #find(organizationId: string, supplied: SuppliedDocuments): Organization | undefined {
    const head = this.#head(organizationId)
    const shown = supplied.find(organizationId)
    if (shown === undefined) {
      const cached = this.#cache.get(organizationId)
      return cached !== undefined && isAt(cached, head) ? cached : undefined
    }
    if (!isAt(shown, head)) {
      throw refuse(
        "DOCUMENT_ROLLED_BACK",
        `organization ${organizationId} is at version ${head.version}, the document shown is version ` +
          `${shown.document.version}`,
      )
    }
    this.remember(shown)
    return shown
  }

  #need(organizationId: string): ContextNeeded {
    const { version } = this.#head(organizationId)
    return new ContextNeeded({ organizationId, documents: [{ organizationId, version }] })
  }

  #head(organizationId: string): OrganizationHead {
    const head = this.#ledger.head(organizationId)
    if (head === undefined) throw unknownOrganization(organizationId)
    return head
  }
}

export function unknownOrganization(organizationId: string) {
  return refuse(
    "ORGANIZATION_UNKNOWN",
    `failed to load organizations: no organization found with the given ID ${organizationId}`,
  )
}

function requireLiving(organization: Organization): Organization {
  if (organization.document.deletedAtMs === 0n) return organization
  const sentence = `failed to load organizations: organization ${organization.id} was deleted`
  throw refuse("ORGANIZATION_DELETED", sentence)
}

function isAt(organization: Organization, head: OrganizationHead): boolean {
  return (
    organization.document.version === head.version && Buffer.compare(organization.digest, head.digest) === 0
  )
}
