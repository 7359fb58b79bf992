import { BoundedMap } from "./bounded-map.ts"
import type { Ledger, OrganizationHead } from "../ledger/ledger.ts"
import { type Notary, openDocument } from "../organization/notarize.ts"
import type { Organization } from "../organization/organization.ts"
import { refuse } from "../refusal.ts"
import { ContextNeeded } from "./needed.ts"

/** Documents kept parsed, so that a request need not bring its own. */
const MAX_CACHED = 4096

/** Opens organizations at the ledger's version; nothing older, newer or foreign ever comes out of here. */
export class Organizations {
  readonly #ledger: Ledger
  readonly #notary: Notary
  readonly #cache = new BoundedMap<Organization>(MAX_CACHED)

  constructor(ledger: Ledger, notary: Notary) {
    this.#ledger = ledger
    this.#notary = notary
  }

  /**
   * @param supplied NotarizedDocument that came with the order; empty when none did
   * @throws ORGANIZATION_UNKNOWN, DOCUMENT_FORGED, DOCUMENT_OF_ANOTHER_ORGANIZATION, DOCUMENT_ROLLED_BACK
   */
  openCurrent(organizationId: string, supplied: Uint8Array): Organization {
    const head = this.#ledger.head(organizationId)
    if (head === undefined) throw unknownOrganization(organizationId)
    if (supplied.length > 0) return this.#openSupplied(organizationId, head, supplied)
    const cached = this.#cache.get(organizationId)
    if (cached !== undefined && isAt(cached, head)) return cached
    throw new ContextNeeded({ documentVersion: head.version })
  }

  /** Remembers the version that this process has just made, after the ledger has it. */
  remember(organization: Organization): void {
    this.#cache.set(organization.id, organization)
  }

  #openSupplied(organizationId: string, head: OrganizationHead, supplied: Uint8Array): Organization {
    const organization = openDocument(supplied, this.#notary)
    if (organization.id !== organizationId) {
      throw refuse(
        "DOCUMENT_OF_ANOTHER_ORGANIZATION",
        "the organization document is that of another organization",
      )
    }
    if (!isAt(organization, head)) {
      throw refuse(
        "DOCUMENT_ROLLED_BACK",
        `organization ${organizationId} is at version ${head.version}, the document shown is version ` +
          `${organization.document.version}`,
      )
    }
    this.#cache.set(organizationId, organization)
    return organization
  }
}

export function unknownOrganization(organizationId: string) {
  return refuse(
    "ORGANIZATION_UNKNOWN",
    `failed to load organizations: no organization found with the given ID ${organizationId}`,
  )
}

function isAt(organization: Organization, head: OrganizationHead): boolean {
  return (
    organization.document.version === head.version && Buffer.compare(organization.digest, head.digest) === 0
  )
}
