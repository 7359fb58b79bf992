import { ApiError, GrpcCode } from "../../common/api-error.ts"
import type { Stamp } from "../../../signer/stamp/index.ts"
import { requireHolder, unknownCredential, unknownOrganization } from "../authenticate.ts"
import type { Holder, Organization } from "../organization.ts"
import type { Organizations } from "../organizations.ts"
import type { Database } from "../store/database.ts"
import { findCredentials } from "../store/organizations.ts"

export type IdentifyDeps = { sql: Database; organizations: Organizations }
type Asked = { organization: Organization; holder: Holder }
type Question = { organizationId: string; stamp: Stamp; body: Uint8Array; nowMs: number }

/**
 * Who asks about which organization: the key is looked for in it, then in its parent, as the database has
 * them now, so that a key just removed reads nothing more.
 *
 * @throws Refusal ORGANIZATION_UNKNOWN, CREDENTIAL_UNKNOWN, CREDENTIAL_EXPIRED, STAMP_SCHEME_MISMATCH, STAMP_INVALID
 */
export async function identify(question: Question, { organizations }: IdentifyDeps): Promise<Asked> {
  const { organizationId, stamp, body, nowMs } = question
  const organization = await organizations.refresh(organizationId)
  if (organization === undefined) throw unknownOrganization(organizationId)
  const { parentId } = organization.document
  const own = organization.holder(stamp.publicKeyHex)
  const parent = own === undefined && parentId !== "" ? await organizations.refresh(parentId) : undefined
  const holder = own ?? parent?.holder(stamp.publicKeyHex)
  if (holder === undefined) return identifyNewer(question, organization, organizations)
  requireHolder(stamp, body, holder, nowMs)
  return { organization, holder }
}

/** The database may be behind the signer: what it does not know may be in the archive. */
async function identifyNewer(
  { organizationId, stamp, body, nowMs }: Question,
  known: Organization,
  organizations: Organizations,
): Promise<Asked> {
  const organization = (await organizations.catchUp(organizationId)) ?? known
  const holder = organization.holder(stamp.publicKeyHex)
  if (holder === undefined) throw unknownCredential(stamp, organization)
  requireHolder(stamp, body, holder, nowMs)
  return { organization, holder }
}

/**
 * As identify, for who only knows the parent's id: the one organization of the family that holds the key, the
 * one asked about first.
 */
export async function identifyInFamily(question: Question, deps: IdentifyDeps): Promise<Asked> {
  const { organizationId, stamp } = question
  const asked = await deps.organizations.refresh(organizationId)
  if (asked === undefined) throw unknownOrganization(organizationId)
  if (asked.holder(stamp.publicKeyHex) !== undefined) return identify(question, deps)
  const found = await findCredentials(deps.sql, stamp.publicKeyHex, { limit: 2, within: organizationId })
  if (found.length > 1) {
    throw new ApiError(GrpcCode.unauthenticated, "more than one suborg associated with a public key", {
      publicCode: "CREDENTIAL_CONFLICT",
    })
  }
  const [only] = found
  return identify(only ? { ...question, organizationId: only.organizationId } : question, deps)
}
