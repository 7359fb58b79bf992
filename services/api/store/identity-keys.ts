import { hash } from "node:crypto"
import type { OrganizationDocument, User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Stamp } from "../../../signer/core/stamp/index.ts"

/** What a sub-organization can be found by below its parent. The numbers are stored: none is ever used anew. */
export const IdentityKind = {
  organizationName: 1,
  userName: 2,
  email: 3,
  phoneNumber: 4,
  publicKey: 5,
  credentialId: 6,
  oidc: 7,
} as const
export type IdentityKind = (typeof IdentityKind)[keyof typeof IdentityKind]

/** One row of the look-up table: kind, and SHA-256 of the canonical form, which may be of any length. */
export type IdentityKey = { kind: IdentityKind; digest: Uint8Array }

/** `verified`: somebody has proven to hold it. Only contacts can be. */
export type Identity = IdentityKey & { verified: boolean }

/** Claims by which an issuer names somebody. */
export type OidcClaims = { issuer: string; audience: string; subject: string }

/** Canonical forms: what is equal here is the same identity. */
export const identityKey = {
  /** Names are compared letter by letter. */
  organizationName: (name: string) => key(IdentityKind.organizationName, name),
  userName: (name: string) => key(IdentityKind.userName, name),
  /**
   * ASCII letters without regard to case. Other letters are compared as they are: their case mappings would make
   * different mailboxes equal (the Kelvin sign and k).
   */
  email: (email: string) =>
    key(
      IdentityKind.email,
      email.replace(/[A-Z]+/g, (text) => text.toLowerCase()),
    ),
  /** E.164 has one spelling. */
  phoneNumber: (number: string) => key(IdentityKind.phoneNumber, number),
  /** Hexadecimal, compressed. */
  publicKey: (publicKeyHex: string) => key(IdentityKind.publicKey, publicKeyHex.toLowerCase()),
  /** Raw bytes of a passkey's credential id. */
  credentialId: (id: Uint8Array) => key(IdentityKind.credentialId, Buffer.from(id).toString("base64url")),
  /** As JSON, so that no claim can reach into its neighbour. */
  oidc: ({ issuer, audience, subject }: OidcClaims) =>
    key(IdentityKind.oidc, JSON.stringify([canonicalIssuer(issuer), audience, subject])),
}

/** Google has issued tokens under its name with and without scheme. */
function canonicalIssuer(issuer: string): string {
  return issuer === "accounts.google.com" ? "https://accounts.google.com" : issuer
}

/** All that a document can be found by, each once; nothing once the organization is deleted. */
export function identitiesOf({ name, users, deletedAtMs }: OrganizationDocument): Identity[] {
  if (deletedAtMs !== 0n) return []
  const found = new Map<string, Identity>()
  const add = ({ kind, digest }: IdentityKey, verified = false) => {
    const at = `${kind}/${Buffer.from(digest).toString("base64")}`
    found.set(at, { kind, digest, verified: verified || (found.get(at)?.verified ?? false) })
  }
  add(identityKey.organizationName(name))
  for (const user of users) addUser(user, add)
  return [...found.values()]
}

function addUser(user: User, add: (key: IdentityKey, verified?: boolean) => void): void {
  add(identityKey.userName(user.name))
  if (user.email !== "") add(identityKey.email(user.email), user.emailVerified)
  if (user.phoneNumber !== "") add(identityKey.phoneNumber(user.phoneNumber), user.phoneNumberVerified)
  for (const { publicKey } of user.apiKeys) add(identityKey.publicKey(publicKey))
  for (const { credentialId } of user.authenticators) add(identityKey.credentialId(credentialId))
  for (const provider of user.oauthProviders) add(identityKey.oidc(provider))
}

function key(kind: IdentityKind, canonical: string): IdentityKey {
  return { kind, digest: hash("sha256", canonical, "buffer") }
}

/** What the holder of a stamp is found by below a parent, and what it is called in errors. */
export function stampIdentity(stamp: Stamp): { key: IdentityKey; what: string } {
  return stamp.kind === "passkey"
    ? { key: identityKey.credentialId(stamp.credentialId), what: "a credential ID" }
    : { key: identityKey.publicKey(stamp.publicKeyHex), what: "a public key" }
}
