import type { IncomingHttpHeaders } from "node:http"
import { refuse } from "../../../signer/core/refusal.ts"
import { originsOf, requireStampOf, type Stamp } from "../../../signer/core/stamp/index.ts"
import type { CredentialOwner, StoredOrganization } from "../store/stored-organization.ts"

/** Checks that a credential of an organization may be used from the request's address. @throws ApiError 403 */
export type Admit = (home: StoredOrganization, credential: string) => Promise<void>

export type StampValues = { xStamp: string; xStampWebauthn: string; xStampAttested: string }

/** The stamp headers as they came; Node joins a header sent twice with a comma, which no stamp survives. */
export function stampValues(headers: IncomingHttpHeaders): StampValues {
  return {
    xStamp: one(headers["x-stamp"]),
    xStampWebauthn: one(headers["x-stamp-webauthn"]),
    xStampAttested: one(headers["x-stamp-attested"]),
  }
}

function one(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join() : (value ?? "")
}

/**
 * Refuses a stamp that its owner did not make for this body, now. Origins are the signer's to look at where it is
 * asked afterwards: it has the setting as it is now.
 *
 * @throws Refusal STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED, STAMP_MALFORMED, STAMP_CEREMONY_WRONG,
 *   STAMP_ORIGIN_WRONG, STAMP_INVALID
 */
export function requireOwnStamp(
  stamp: Stamp,
  body: Uint8Array,
  owner: CredentialOwner,
  nowMs: number,
  origins?: readonly string[],
): void {
  requireStampOf(owner, stamp, body, { nowMs, origins: () => origins })
}

/**
 * Origins that passkeys of an organization must come from, undefined for any: its own setting, or that of its parent,
 * which `load` brings.
 */
export async function allowedOrigins(
  { document }: StoredOrganization,
  load: (id: string) => Promise<StoredOrganization | undefined>,
): Promise<readonly string[] | undefined> {
  const { parentId } = document
  if (parentId === "") return originsOf(document)
  const parent = await load(parentId)
  if (parent === undefined) throw unknownOrganization(parentId)
  return originsOf(parent.document)
}

/** A parent's user reads in his sub-organizations; he never writes there. */
export function organizationMismatch(target: string, home: string): Error {
  return refuse(
    "ORGANIZATION_MISMATCH",
    `organization mismatch: request is targeting organization ("${target}"), but voters are in organization ("${home}")`,
    { field: "organizationId" },
  )
}

/** @throws Refusal ORGANIZATION_DELETED */
export function requireLiving({ id, document }: StoredOrganization): void {
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
