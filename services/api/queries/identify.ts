import { refuse } from "../../../signer/refusal.ts"
import type { Stamp } from "../../../signer/stamp/index.ts"
import { requireHolder, requireLiving, unknownCredential, unknownOrganization } from "../authenticate.ts"
import { identityKey } from "../identities.ts"
import type { Holder, Organization } from "../organization.ts"
import type { Organizations } from "../organizations.ts"
import type { Database } from "../store/database.ts"
import { findHolders } from "../store/sub-organizations.ts"

export type IdentifyDeps = { sql: Database; organizations: Organizations }
/** `home`: the organization of the holder, which is the one asked about or its parent. */
type Asked = { organization: Organization; home: Organization; holder: Holder }
type Question = { organizationId: string; stamp: Stamp; body: Uint8Array; nowMs: number }

/**
 * Who asks about which organization: the key is looked for in it, then in its parent, as the database has
 * them now, so that a key just removed reads nothing more. A parent's users read their sub-organizations; nobody
 * reads upwards or sideways.
 *
 * @throws Refusal ORGANIZATION_UNKNOWN, CREDENTIAL_UNKNOWN, CREDENTIAL_EXPIRED, STAMP_SCHEME_MISMATCH, STAMP_INVALID
 */
export async function identify(question: Question, { organizations }: IdentifyDeps): Promise<Asked> {
  const { organizationId, stamp, body, nowMs } = question
  const organization = await organizations.refresh(organizationId)
  if (organization === undefined) throw unknownOrganization(organizationId)
  requireLiving(organization)
  const asked =
    (await findHolder(organization, stamp, (id) => organizations.refresh(id))) ??
    (await findNewerHolder(organization, stamp, organizations))
  if (asked === undefined) throw unknownCredential(stamp, organization)
  requireHolder(stamp, body, asked.holder, nowMs)
  return asked
}

async function findHolder(
  organization: Organization,
  stamp: Stamp,
  load: (id: string) => Promise<Organization | undefined>,
): Promise<Asked | undefined> {
  const own = organization.holder(stamp.publicKeyHex)
  if (own !== undefined) return { organization, home: organization, holder: own }
  const { parentId } = organization.document
  const parent = parentId === "" ? undefined : await load(parentId)
  const holder = parent?.holder(stamp.publicKeyHex)
  return parent && holder && { organization, home: parent, holder }
}

/** The database may be behind the signer: what it does not know may be in the archive. */
async function findNewerHolder(
  known: Organization,
  stamp: Stamp,
  organizations: Organizations,
): Promise<Asked | undefined> {
  const organization = (await organizations.catchUp(known.id)) ?? known
  return findHolder(organization, stamp, (id) => organizations.catchUp(id))
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
  if (asked.holder(stamp.publicKeyHex) !== undefined) return identify(question, deps)
  const [only, another] = await findHolders(deps.sql, asked.id, identityKey.publicKey(stamp.publicKeyHex), 2)
  if (another !== undefined) {
    throw refuse("CREDENTIAL_CONFLICT", "more than one suborg associated with a public key")
  }
  return identify(only === undefined ? question : { ...question, organizationId: only }, deps)
}
