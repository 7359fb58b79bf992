import { RecentlyUsed } from "../../../signer/core/recently-used.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"

/** Documents kept decoded. The document of ten users takes some 30 KB. */
export const MAX_CACHED_ORGANIZATIONS = 4096

/** Organizations in memory, each at the newest version that this process has read or stored. */
export class OrganizationCache {
  readonly #organizations = new RecentlyUsed<string, StoredOrganization>(MAX_CACHED_ORGANIZATIONS)

  get size(): number {
    return this.#organizations.size
  }

  get(id: string): StoredOrganization | undefined {
    return this.#organizations.get(id)
  }

  put(organization: StoredOrganization): void {
    const known = this.#organizations.get(organization.id)
    if (known === undefined || known.version < organization.version)
      this.#organizations.set(organization.id, organization)
  }
}
