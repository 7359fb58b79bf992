import type { Stamp } from "../../../signer/core/stamp/index.ts"
import type { Holders } from "./credential-store.ts"
import { identityOfStamp } from "../store/identity-keys.ts"
import type { Holder, Organization } from "./stored-organization.ts"
import type { Organizations } from "./organization-store.ts"
import type { Database } from "../store/database.ts"
import { findHolders } from "../store/sub-organizations.ts"

export type FamilyDeps = { sql: Database; organizations: Organizations; holders: Holders }

/** `sole`: the one sub-organization with the credential; `several`: the signer knows which, or that nobody does. */
export type InFamily = { sole: { organization: Organization; holder: Holder } } | "several" | "nobody"

/**
 * Below which parent's child a credential is, for a login that names only the parent. The signer decides this by its
 * own register; here it only serves to refuse strangers early and to find what the same body was before.
 */
export async function findInFamily(parent: Organization, stamp: Stamp, deps: FamilyDeps): Promise<InFamily> {
  const [only, another] = await findHolders(deps.sql, parent.id, identityOfStamp(stamp).key, 2)
  if (only === undefined) return "nobody"
  const organization = await deps.organizations.refresh(only)
  const holder = organization && deps.holders.peek(organization, stamp.credential)
  if (another !== undefined || organization === undefined || holder === undefined) return "several"
  return { sole: { organization, holder } }
}
