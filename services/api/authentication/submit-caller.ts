import type { ActivityEntry } from "../../../proto/catalog.ts"
import { Authority } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { requireStamp, requireUsableKey, unknownCredential } from "../../../signer/core/stamp/verify.ts"
import type { Stamp } from "../../../signer/core/stamp/read-stamp.ts"
import { stampIdentity } from "../store/identity-keys.ts"
import type { StoredOrganization } from "../store/stored-organization.ts"
import { findByIdentity } from "../store/sub-organizations.ts"
import {
  type Caller,
  type CallerStores,
  organizationMismatch,
  requireNotDeleted,
  requireOwnStamp,
  unknownOrganization,
} from "./authenticate.ts"

/** A submitted activity with its stamp. */
type StampedActivity = {
  activity: Pick<ActivityEntry, "authority" | "isOpenToParent">
  organizationId: string
  body: Uint8Array
  stamp: Stamp
  nowMs: number
  /** The stamp of a caller in memory is left to the signer. */
  isLeft?: boolean
}

/**
 * Identifies the caller of a submitted activity. Undefined if only the signer can: a new organization has no users yet,
 * and a login may name a parent if several of its sub-organizations have the credential.
 *
 * @throws Refusal ORGANIZATION_UNKNOWN, CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, IDENTITY_UNKNOWN, ORGANIZATION_MISMATCH, and
 *   those of requireOwnStamp
 */
export async function identifySubmitCaller(
  request: StampedActivity,
  stores: CallerStores,
): Promise<Caller | undefined> {
  const { activity, organizationId, body, stamp, nowMs } = request
  const { organizations, credentials } = stores
  const known = organizations.peek(organizationId) ?? (await organizations.get(organizationId))
  if (activity.authority === Authority.SETUP_CODE && known === undefined) {
    if (stamp.kind !== "api-key") throw unknownCredential(stamp, organizationId)
    requireStamp(stamp, body)
    return undefined
  }
  if (known === undefined) throw unknownOrganization(organizationId)
  requireNotDeleted(known)
  const inMemory = credentials.peek(known, stamp.credential)
  if (request.isLeft === true && inMemory !== undefined) {
    requireUsableKey(inMemory, stamp, nowMs)
    return { organization: known, owner: inMemory, isLeft: true }
  }
  const mayNameParent = activity.authority === Authority.LOGIN && known.document.parentId === ""
  const child = mayNameParent ? await findChild(known, stamp, stores) : undefined
  if (child === "ambiguous") return undefined
  const stored = inMemory
    ? { organization: known, owner: inMemory }
    : await findStoredOwner(known, stamp, stores)
  if (stored === undefined && activity.isOpenToParent) {
    // Parents' keys stamp most logins: the signer's archive, whose look-ups are few a second, is not asked for them.
    const ofParent = await findParentUser(known, request, stores)
    if (ofParent !== undefined) return ofParent
  }
  const own = stored ?? (await findArchivedOwner(known, stamp, stores))
  if (own !== undefined && child !== undefined) return undefined
  const caller = own ?? child
  if (caller === undefined) {
    const ofParent = await findParentUser(known, request, stores)
    if (ofParent !== undefined) return ofParent
    throw unknownCredential(stamp, known.id)
  }
  requireOwnStamp(stamp, body, caller.owner, nowMs)
  return caller
}

/** The caller in an organization that the signer named, for a login that named its parent. */
export async function callerIn(
  organizationId: string,
  { credential }: Stamp,
  { organizations, credentials }: CallerStores,
): Promise<Caller | undefined> {
  const organization = await organizations.refresh(organizationId)
  const owner = organization && credentials.peek(organization, credential)
  return organization && owner && { organization, owner }
}

/** Refuses a credential that the database no longer has. @throws Refusal CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN */
export async function requireCurrentCredential(
  stamp: Stamp,
  organizationId: string,
  { organizations, credentials }: CallerStores,
): Promise<void> {
  const current = await organizations.refresh(organizationId)
  const owner = current && (await credentials.find(current, stamp.credential))
  if (owner === undefined) throw unknownCredential(stamp, organizationId)
}

/**
 * The sub-organization with the credential. The signer decides by its own register; this look-up only refuses unknown
 * credentials early and finds the activity of a repeated body.
 */
async function findChild(
  parent: StoredOrganization,
  stamp: Stamp,
  stores: CallerStores,
): Promise<Caller | "ambiguous" | undefined> {
  const [only, another] = await findByIdentity(stores.sql, parent.id, stampIdentity(stamp).key, 2)
  if (only === undefined) return undefined
  const caller = await callerIn(only, stamp, stores)
  return another === undefined && caller !== undefined ? caller : "ambiguous"
}

/**
 * Looks up a credential that is neither in the document nor in a session in memory: in the database's sessions, then in the
 * database's document, the cheapest first.
 */
async function findStoredOwner(
  known: StoredOrganization,
  { credential }: Stamp,
  { organizations, credentials }: CallerStores,
): Promise<Caller | undefined> {
  const owner = await credentials.find(known, credential)
  if (owner !== undefined) return { organization: known, owner }
  const organization = await organizations.refresh(known.id)
  if (organization === undefined) return undefined
  requireNotDeleted(organization)
  const newer = credentials.peek(organization, credential)
  return newer && { organization, owner: newer }
}

/** Looks up a credential in the signer's archive: the database may be behind its ledger. */
async function findArchivedOwner(
  known: StoredOrganization,
  { credential }: Stamp,
  { organizations, credentials }: CallerStores,
): Promise<Caller | undefined> {
  const organization = await organizations.catchUp(known.id)
  if (organization === undefined) return undefined
  requireNotDeleted(organization)
  const owner = await credentials.catchUp(organization, credential)
  return owner && { organization, owner }
}

/**
 * A user of the parent, who may ask for logins in the sub-organization, link identities there, and nothing else. No other caller learns the
 * parent's id. @throws Refusal ORGANIZATION_MISMATCH, and the refusals of `requireOwnStamp`
 */
async function findParentUser(
  subOrganization: StoredOrganization,
  { activity, stamp, body, nowMs }: StampedActivity,
  { organizations, credentials }: CallerStores,
): Promise<Caller | undefined> {
  const { parentId } = subOrganization.document
  const parent = parentId === "" ? undefined : await organizations.refresh(parentId)
  const owner = parent && (await credentials.find(parent, stamp.credential))
  if (parent === undefined || owner === undefined) return undefined
  requireOwnStamp(stamp, body, owner, nowMs)
  if (!activity.isOpenToParent) throw organizationMismatch(subOrganization.id, parentId)
  return { organization: parent, owner, subOrganization }
}
