import { refuse } from "../../../signer/core/refusal.ts"
import type { Stamp } from "../../../signer/core/stamp/read-stamp.ts"
import { confinedRecoveryKey, isRecoveryKey } from "../../../signer/core/stamp/recovery-key.ts"
import { unknownCredential, verifyInSteps } from "../../../signer/core/stamp/verify.ts"
import type { Steps } from "../../../signer/core/turns/steps.ts"
import { stampIdentity } from "../store/identity-keys.ts"
import type { StoredCredentialOwner, StoredOrganization } from "../store/stored-organization.ts"
import { findByIdentity } from "../store/sub-organizations.ts"
import {
  allowedOrigins,
  type Caller,
  type CallerStores,
  requireNotDeleted,
  requireOwnStamp,
  unknownOrganization,
} from "./authenticate.ts"

/** A query with its stamp. */
type StampedQuery = {
  organizationId: string
  stamp: Stamp
  body: Uint8Array
  nowMs: number
  /** For a large body, whose stamp is verified in steps. */
  inTurns?: InTurns
}

/** Runs a computation in turns of the caller's organization. */
export type InTurns = (steps: Steps<void>) => Promise<void>

/** A caller and the organization that they query: their own one, or a sub-organization of it. */
export type QueryCaller = Caller & { queried: StoredOrganization }

/**
 * Identifies the caller of a query. The credential is looked up in the queried organization, then in its parent, both as the
 * database has them now. A credential that was just removed reads nothing. A parent's users read its sub-organizations; no user
 * reads the parent or another sub-organization.
 *
 * @throws Refusal ORGANIZATION_UNKNOWN, CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, RECOVERY_KEY_CONFINED, and the refusals of `requireOwnStamp`
 */
export async function identifyQueryCaller(query: StampedQuery, stores: CallerStores): Promise<QueryCaller> {
  const { organizationId, stamp, body, nowMs, inTurns } = query
  const { organizations, credentials } = stores
  const queried = await organizations.refresh(organizationId)
  if (queried === undefined) throw unknownOrganization(organizationId)
  requireNotDeleted(queried)
  const caller =
    (await findOwner(queried, {
      load: (id) => organizations.refresh(id),
      find: (organization) => credentials.find(organization, stamp.credential),
    })) ?? (await findNewerOwner(queried, stamp, stores))
  if (caller === undefined) throw unknownCredential(stamp, queried.id)
  const origins = stamp.kind === "passkey" ? await allowedOrigins(caller.organization, stores) : undefined
  await inTurns?.(verifyInSteps(stamp, body))
  requireOwnStamp(stamp, body, caller.owner, nowMs, origins)
  if (isRecoveryKey(caller.owner)) throw confinedRecoveryKey("organizationId")
  return caller
}

/** Functions that look up an organization and, in it, the owner of the stamp. */
type Lookup = {
  load(id: string): Promise<StoredOrganization | undefined>
  find(organization: StoredOrganization): Promise<StoredCredentialOwner | undefined>
}

async function findOwner(queried: StoredOrganization, lookup: Lookup): Promise<QueryCaller | undefined> {
  const own = await lookup.find(queried)
  if (own !== undefined) return { queried, organization: queried, owner: own }
  const { parentId } = queried.document
  const parent = parentId === "" ? undefined : await lookup.load(parentId)
  const owner = parent && (await lookup.find(parent))
  return parent && owner && { queried, organization: parent, owner }
}

/** The database may be behind the signer's ledger: its archive may have the credential. */
async function findNewerOwner(
  known: StoredOrganization,
  stamp: Stamp,
  { organizations, credentials }: CallerStores,
): Promise<QueryCaller | undefined> {
  const queried = (await organizations.catchUp(known.id)) ?? known
  return findOwner(queried, {
    load: (id) => organizations.catchUp(id),
    find: (organization) => credentials.catchUp(organization, stamp.credential),
  })
}

/**
 * As identifyQueryCaller, for a caller who knows only the parent's id: the parent or its one sub-organization with the
 * credential.
 *
 * @throws Refusal CREDENTIAL_CONFLICT, and the refusals of `identifyQueryCaller`
 */
export async function identifyQueryCallerByParent(
  query: StampedQuery,
  stores: CallerStores,
): Promise<QueryCaller> {
  const { organizationId, stamp } = query
  const parent = await stores.organizations.refresh(organizationId)
  if (parent === undefined) throw unknownOrganization(organizationId)
  if ((await stores.credentials.find(parent, stamp.credential)) !== undefined)
    return identifyQueryCaller(query, stores)
  const { key, what } = stampIdentity(stamp)
  const [only, another] = await findByIdentity(stores.sql, parent.id, key, 2)
  if (another !== undefined) {
    throw refuse(
      "CREDENTIAL_CONFLICT",
      `more than one suborg associated with ${what}: name it in organizationId`,
    )
  }
  return identifyQueryCaller(only === undefined ? query : { ...query, organizationId: only }, stores)
}
