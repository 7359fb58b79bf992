import { createHash } from "node:crypto"

/** A subject at an issuer, for one application. */
export type OidcSubject = { issuer: string; audience: string; subject: string }

export function isSameIdentity(one: OidcSubject, other: OidcSubject): boolean {
  return one.issuer === other.issuer && one.audience === other.audience && one.subject === other.subject
}

/** Name of an identity as a credential: `oidc:` and the SHA-256 of its JSON list, base64url. Claims cannot run together. */
export function identityName({ issuer, audience, subject }: OidcSubject): string {
  const digest = createHash("sha256").update(JSON.stringify([issuer, audience, subject]))
  return `oidc:${digest.digest("base64url")}`
}
