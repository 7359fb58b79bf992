import type { Stamp } from "../../../signer/core/stamp/index.ts"
import type { CredentialStore } from "./credential-store.ts"
import { stampIdentity } from "../store/identity-keys.ts"
import type { CredentialOwner, StoredOrganization } from "../store/stored-organization.ts"
import type { OrganizationStore } from "./organization-store.ts"
import type { Database } from "../store/database.ts"
import { findByIdentity } from "../store/sub-organizations.ts"

export type FamilyDeps = { sql: Database; organizations: OrganizationStore; credentials: CredentialStore }

/** `sole`: the one sub-organization with the credential; `several`: the signer knows which, or that nobody does. */
export type FamilyLogin =
  | { sole: { organization: StoredOrganization; owner: CredentialOwner } }
  | "several"
  | "nobody"

/**
 * Below which parent's child a credential is, for a login that names only the parent. The signer decides this by its
 * own register; here it only serves to refuse strangers early and to find what the same body was before.
 */
export async function findFamilyLogin(
  parent: StoredOrganization,
  stamp: Stamp,
  deps: FamilyDeps,
): Promise<FamilyLogin> {
  const [only, another] = await findByIdentity(deps.sql, parent.id, stampIdentity(stamp).key, 2)
  if (only === undefined) return "nobody"
  const organization = await deps.organizations.refresh(only)
  const owner = organization && deps.credentials.peek(organization, stamp.credential)
  if (another !== undefined || organization === undefined || owner === undefined) return "several"
  return { sole: { organization, owner } }
}
