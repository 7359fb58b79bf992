import { refuse } from "../../../signer/core/refusal.ts"
import { type Stamp, unknownCredential } from "../../../signer/core/stamp/index.ts"
import { allowedOrigins, requireHolder, requireLiving, unknownOrganization } from "./authenticate.ts"
import type { Holders } from "./credential-store.ts"
import { identityOfStamp } from "../store/identity-keys.ts"
import type { Holder, Organization } from "./stored-organization.ts"
import type { Organizations } from "./organization-store.ts"
import type { Database } from "../store/database.ts"
import { findHolders } from "../store/sub-organizations.ts"

export type IdentifyDeps = { sql: Database; organizations: Organizations; holders: Holders }
/** `home`: the organization of the holder, which is the one asked about or its parent. */
type Asked = { organization: Organization; home: Organization; holder: Holder }
type Question = { organizationId: string; stamp: Stamp; body: Uint8Array; nowMs: number }

/**
 * Who asks about which organization: the key is looked for in it, then in its parent, as the database has
 * them now, so that a key just removed reads nothing more. A parent's users read their sub-organizations; nobody
 * reads upwards or sideways.
 *
 * @throws Refusal ORGANIZATION_UNKNOWN, CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, and what requireHolder throws
 */
export async function identify(question: Question, deps: IdentifyDeps): Promise<Asked> {
  const { organizationId, stamp, body, nowMs } = question
  const { organizations, holders } = deps
  const organization = await organizations.refresh(organizationId)
  if (organization === undefined) throw unknownOrganization(organizationId)
  requireLiving(organization)
  const asked =
    (await findHolder(organization, {
      load: (id) => organizations.refresh(id),
      find: (place) => holders.find(place, stamp.credential),
    })) ?? (await findNewerHolder(organization, stamp, deps))
  if (asked === undefined) throw unknownCredential(stamp, organization.id)
  const load = (id: string) => organizations.refresh(id)
  const origins = stamp.kind === "passkey" ? await allowedOrigins(asked.home, load) : undefined
  requireHolder(stamp, body, asked.holder, nowMs, origins)
  return asked
}

/** How an organization and, in it, the holder of the key are looked for. */
type Look = {
  load(id: string): Promise<Organization | undefined>
  find(organization: Organization): Promise<Holder | undefined>
}

async function findHolder(organization: Organization, look: Look): Promise<Asked | undefined> {
  const own = await look.find(organization)
  if (own !== undefined) return { organization, home: organization, holder: own }
  const { parentId } = organization.document
  const parent = parentId === "" ? undefined : await look.load(parentId)
  const holder = parent && (await look.find(parent))
  return parent && holder && { organization, home: parent, holder }
}

/** The database may be behind the signer: what it does not know may be in the archive. */
async function findNewerHolder(
  known: Organization,
  stamp: Stamp,
  { organizations, holders }: IdentifyDeps,
): Promise<Asked | undefined> {
  const organization = (await organizations.catchUp(known.id)) ?? known
  return findHolder(organization, {
    load: (id) => organizations.catchUp(id),
    find: (place) => holders.catchUp(place, stamp.credential),
  })
}

/**
 * As identify, for who only knows the parent's id: the one organization of the family that holds the key, the
 * one asked about first.
 *
 * @throws Refusal CREDENTIAL_CONFLICT, and what identify throws
 */
export async function identifyInFamily(question: Question, deps: IdentifyDeps): Promise<Asked> {
  const { organizationId, stamp } = question
  const asked = await deps.organizations.refresh(organizationId)
  if (asked === undefined) throw unknownOrganization(organizationId)
  if ((await deps.holders.find(asked, stamp.credential)) !== undefined) return identify(question, deps)
  const { key, what } = identityOfStamp(stamp)
  const [only, another] = await findHolders(deps.sql, asked.id, key, 2)
  if (another !== undefined) {
    throw refuse(
      "CREDENTIAL_CONFLICT",
      `more than one suborg associated with ${what}: name it in organizationId`,
    )
  }
  return identify(only === undefined ? question : { ...question, organizationId: only }, deps)
}
