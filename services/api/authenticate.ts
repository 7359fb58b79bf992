import type { IncomingHttpHeaders } from "node:http"
import { refuse } from "../../signer/refusal.ts"
import { requireStamp, schemeFits, type Stamp } from "../../signer/stamp/index.ts"
import type { Holder, Organization } from "./organization.ts"

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
 * Whether this key may stamp now. The signature itself is looked at last: it costs most.
 *
 * @throws Refusal STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED, STAMP_INVALID
 */
export function requireHolder(stamp: Stamp, body: Uint8Array, { apiKey }: Holder, nowMs: number): void {
  if (!schemeFits(stamp.scheme, apiKey.type)) {
    throw refuse("STAMP_SCHEME_MISMATCH", `the credential does not stamp with ${stamp.scheme}`)
  }
  if (apiKey.expiresAtMs !== 0n && apiKey.expiresAtMs <= BigInt(nowMs)) {
    throw refuse(
      "CREDENTIAL_EXPIRED",
      `expired api key: rpc error: code = Unauthenticated desc = expired api key publicKey=${apiKey.publicKey}`,
    )
  }
  requireStamp(stamp, body)
}

/** Nobody of the organization, nor of its parent, holds the key. Published clients look for these words. */
export function unknownCredential(stamp: Stamp, organization: Pick<Organization, "id">): Error {
  return refuse(
    "CREDENTIAL_UNKNOWN",
    "could not find public key in organization or its parent organization: " +
      `organizationId=${organization.id} publicKey=${stamp.publicKeyHex}`,
  )
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
export function requireLiving({ id, document }: Organization): void {
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
