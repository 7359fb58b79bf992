import type { IncomingHttpHeaders } from "node:http"
import { refuse } from "../../../signer/core/refusal.ts"
import { originsOf } from "../../../signer/core/webauthn/client-data.ts"
import { requireStampByCredential } from "../../../signer/core/stamp/verify.ts"
import type { Stamp } from "../../../signer/core/stamp/read-stamp.ts"
import type { Database } from "../../database/database.ts"
import type { StoredCredentialOwner, StoredOrganization } from "../store/stored-organization.ts"
import type { CredentialStore } from "./credential-store.ts"
import type { OrganizationStore } from "./organization-store.ts"

/** The stores in which a stamp's owner is looked up. */
export type CallerStores = { sql: Database; organizations: OrganizationStore; credentials: CredentialStore }

/**
 * A user, their credential that stamped, and their organization. `subOrganization`: the sub-organization of it in which
 * they ask for a login; absent: they act in their own organization. `isLeft`: only the signer verifies the stamp.
 */
export type Caller = {
  organization: StoredOrganization
  owner: StoredCredentialOwner
  subOrganization?: StoredOrganization
  isLeft?: boolean
}

/** The organization that a submitted activity belongs to. */
export function targetOrganization({ organization, subOrganization }: Caller): StoredOrganization {
  return subOrganization ?? organization
}

/** Checks that a credential of an organization may be used from the request's address. @throws ApiError 403 */
export type RequireAllowedAddress = (home: StoredOrganization, credential: string) => Promise<void>

export type StampValues = { xStamp: string; xStampWebauthn: string; xStampAttested: string }

/** The stamp headers. Node joins a repeated header with a comma, which is invalid in every stamp. */
export function stampValues(headers: IncomingHttpHeaders): StampValues {
  return {
    xStamp: joined(headers["x-stamp"]),
    xStampWebauthn: joined(headers["x-stamp-webauthn"]),
    xStampAttested: joined(headers["x-stamp-attested"]),
  }
}

function joined(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join() : (value ?? "")
}

/**
 * Refuses a stamp that its owner did not make over this body, or made with an expired key. Origins are left out where
 * the signer is asked afterwards: it knows the current setting.
 *
 * @throws Refusal STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED, STAMP_MALFORMED, STAMP_CEREMONY_WRONG,
 *   STAMP_ORIGIN_WRONG, STAMP_INVALID, STAMP_KEY_UNATTESTED
 */
export function requireOwnStamp(
  stamp: Stamp,
  body: Uint8Array,
  owner: StoredCredentialOwner,
  nowMs: number,
  origins?: readonly string[],
): void {
  requireStampByCredential(owner, stamp, body, { nowMs, origins: () => origins })
}

/** Origins allowed for an organization's passkeys, by its own setting or its parent's. Undefined: any. */
export async function allowedOrigins(
  { document }: StoredOrganization,
  { organizations }: Pick<CallerStores, "organizations">,
): Promise<readonly string[] | undefined> {
  const { parentId } = document
  if (parentId === "") return originsOf(document)
  const parent = await organizations.refresh(parentId)
  if (parent === undefined) throw unknownOrganization(parentId)
  return originsOf(parent.document)
}

/** A parent's user reads in its sub-organizations but cannot submit there. */
export function organizationMismatch(target: string, home: string): Error {
  return refuse(
    "ORGANIZATION_MISMATCH",
    `organization mismatch: request is targeting organization ("${target}"), but voters are in organization ("${home}")`,
    { field: "organizationId" },
  )
}

/** @throws Refusal ORGANIZATION_DELETED */
export function requireNotDeleted({ id, document }: StoredOrganization): void {
  if (document.deletedAtMs === 0n) return
  throw refuse("ORGANIZATION_DELETED", `failed to load organizations: organization ${id} was deleted`, {
    field: "organizationId",
  })
}

export function unknownOrganization(id: string): Error {
  return refuse(
    "ORGANIZATION_UNKNOWN",
    `failed to load organizations: no organization found with the given ID ${id}`,
    { field: "organizationId" },
  )
}
