import { refuse } from "../../../signer/core/refusal.ts"
import { type Stamp, unknownCredential } from "../../../signer/core/stamp/index.ts"
import { allowedOrigins, requireOwnStamp, requireLiving, unknownOrganization } from "./authenticate.ts"
import type { CredentialStore } from "./credential-store.ts"
import { stampIdentity } from "../store/identity-keys.ts"
import type { CredentialOwner, StoredOrganization } from "../store/stored-organization.ts"
import type { OrganizationStore } from "./organization-store.ts"
import type { Database } from "../store/database.ts"
import { findByIdentity } from "../store/sub-organizations.ts"

export type IdentifyDeps = { sql: Database; organizations: OrganizationStore; credentials: CredentialStore }
/** `home`: the organization of the owner, which is the one asked about or its parent. */
type QueryCaller = { organization: StoredOrganization; home: StoredOrganization; owner: CredentialOwner }
type StampedQuery = { organizationId: string; stamp: Stamp; body: Uint8Array; nowMs: number }

/**
 * Who asks about which organization: the key is looked for in it, then in its parent, as the database has
 * them now, so that a key just removed reads nothing more. A parent's users read their sub-organizations; nobody
 * reads upwards or sideways.
 *
 * @throws Refusal ORGANIZATION_UNKNOWN, CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, and what requireHolder throws
 */
export async function identifyCaller(question: StampedQuery, deps: IdentifyDeps): Promise<QueryCaller> {
  const { organizationId, stamp, body, nowMs } = question
  const { organizations, credentials } = deps
  const organization = await organizations.refresh(organizationId)
  if (organization === undefined) throw unknownOrganization(organizationId)
  requireLiving(organization)
  const asked =
    (await findOwner(organization, {
      load: (id) => organizations.refresh(id),
      find: (place) => credentials.find(place, stamp.credential),
    })) ?? (await findNewerOwner(organization, stamp, deps))
  if (asked === undefined) throw unknownCredential(stamp, organization.id)
  const load = (id: string) => organizations.refresh(id)
  const origins = stamp.kind === "passkey" ? await allowedOrigins(asked.home, load) : undefined
  requireOwnStamp(stamp, body, asked.owner, nowMs, origins)
  return asked
}

/** How an organization and, in it, the owner of the key are looked for. */
type Look = {
  load(id: string): Promise<StoredOrganization | undefined>
  find(organization: StoredOrganization): Promise<CredentialOwner | undefined>
}

async function findOwner(organization: StoredOrganization, look: Look): Promise<QueryCaller | undefined> {
  const own = await look.find(organization)
  if (own !== undefined) return { organization, home: organization, owner: own }
  const { parentId } = organization.document
  const parent = parentId === "" ? undefined : await look.load(parentId)
  const owner = parent && (await look.find(parent))
  return parent && owner && { organization, home: parent, owner }
}

/** The database may be behind the signer: what it does not know may be in the archive. */
async function findNewerOwner(
  known: StoredOrganization,
  stamp: Stamp,
  { organizations, credentials }: IdentifyDeps,
): Promise<QueryCaller | undefined> {
  const organization = (await organizations.catchUp(known.id)) ?? known
  return findOwner(organization, {
    load: (id) => organizations.catchUp(id),
    find: (place) => credentials.catchUp(place, stamp.credential),
  })
}

/**
 * As identify, for who only knows the parent's id: the one organization of the family that holds the key, the
 * one asked about first.
 *
 * @throws Refusal CREDENTIAL_CONFLICT, and what identify throws
 */
export async function identifyCallerInFamily(
  question: StampedQuery,
  deps: IdentifyDeps,
): Promise<QueryCaller> {
  const { organizationId, stamp } = question
  const asked = await deps.organizations.refresh(organizationId)
  if (asked === undefined) throw unknownOrganization(organizationId)
  if ((await deps.credentials.find(asked, stamp.credential)) !== undefined)
    return identifyCaller(question, deps)
  const { key, what } = stampIdentity(stamp)
  const [only, another] = await findByIdentity(deps.sql, asked.id, key, 2)
  if (another !== undefined) {
    throw refuse(
      "CREDENTIAL_CONFLICT",
      `more than one suborg associated with ${what}: name it in organizationId`,
    )
  }
  return identifyCaller(only === undefined ? question : { ...question, organizationId: only }, deps)
}
