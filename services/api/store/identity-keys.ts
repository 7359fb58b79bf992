import { hash } from "node:crypto"
import type { OrganizationDocument, User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OIDC_SCHEME } from "../../../signer/core/stamp/attested.ts"
import type { Stamp } from "../../../signer/core/stamp/read-stamp.ts"

/** Kinds of identities by which a sub-organization is found. The numbers are stored and never reused. */
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

/** An identity in the look-up table: its kind and the SHA-256 of its canonical form. */
export type IdentityKey = { kind: IdentityKind; digest: Uint8Array }

/**
 * `verified`: the user proved to control the contact. `onlyLoginMethod`: the contact is the only login method of the organization's one
 * root user. Both are false for other kinds.
 */
export type StoredIdentity = IdentityKey & { verified: boolean; onlyLoginMethod: boolean }

/** Claims that identify a user at an OIDC issuer. */
export type OidcClaims = { issuer: string; audience: string; subject: string }

/** Identity keys of canonical forms: equal forms are the same identity. */
export const identityKey = {
  /** Names are case-sensitive. */
  organizationName: (name: string) => key(IdentityKind.organizationName, name),
  userName: (name: string) => key(IdentityKind.userName, name),
  /**
   * Case-insensitive for ASCII letters only. Unicode case mappings would make different mailboxes equal (the Kelvin sign
   * and k).
   */
  email: (email: string) =>
    key(
      IdentityKind.email,
      email.replace(/[A-Z]+/g, (text) => text.toLowerCase()),
    ),
  /** E.164 is canonical. */
  phoneNumber: (number: string) => key(IdentityKind.phoneNumber, number),
  /** Hexadecimal, compressed. */
  publicKey: (publicKeyHex: string) => key(IdentityKind.publicKey, publicKeyHex.toLowerCase()),
  /** Raw bytes of a passkey's credential id. */
  credentialId: (id: Uint8Array) => key(IdentityKind.credentialId, Buffer.from(id).toString("base64url")),
  /** The claims as JSON, so that the border between them is unambiguous. */
  oidc: ({ issuer, audience, subject }: OidcClaims) =>
    key(IdentityKind.oidc, JSON.stringify([canonicalIssuer(issuer), audience, subject])),
}

/** Google issues tokens under its name with and without scheme. */
function canonicalIssuer(issuer: string): string {
  return issuer === "accounts.google.com" ? "https://accounts.google.com" : issuer
}

/** All identities of a document, each once; none of a deleted organization. */
export function identitiesOf(document: OrganizationDocument): StoredIdentity[] {
  const { name, users, deletedAtMs } = document
  if (deletedAtMs !== 0n) return []
  const found = new Map<string, StoredIdentity>()
  const contact = onlyContact(document)
  const add = ({ kind, digest }: IdentityKey, verified = false) => {
    const entry = `${kind}/${Buffer.from(digest).toString("base64")}`
    const onlyLoginMethod = contact?.kind === kind && Buffer.compare(contact.digest, digest) === 0
    found.set(entry, {
      kind,
      digest,
      verified: verified || (found.get(entry)?.verified ?? false),
      onlyLoginMethod,
    })
  }
  add(identityKey.organizationName(name))
  for (const user of users) addUser(user, add)
  return [...found.values()]
}

/**
 * The contact that always was the only login method of an organization; undefined: it has several users, or other login methods, or none. A changed
 * organization may have had other login methods, by which its maker exported its keys before they removed these methods.
 */
export function onlyContact({
  users: [user, another],
  previousDigest,
}: Pick<OrganizationDocument, "users" | "previousDigest">): IdentityKey | undefined {
  if (user === undefined || another !== undefined || previousDigest.length > 0) return undefined
  const { apiKeys, authenticators, oauthProviders, email, phoneNumber } = user
  if (apiKeys.length + authenticators.length + oauthProviders.length > 0) return undefined
  if ((email === "") === (phoneNumber === "")) return undefined
  return email === "" ? identityKey.phoneNumber(phoneNumber) : identityKey.email(email)
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

/** The identity of a stamp's credential, and its name in errors. */
export function stampIdentity(stamp: Stamp): { key: IdentityKey; what: string } {
  if (stamp.kind === "attested") {
    if (stamp.scheme === OIDC_SCHEME) return { key: identityKey.oidc(stamp.token), what: "an OIDC identity" }
    const { channel, contact } = stamp.token.claims
    const keyOf = channel === OtpType.EMAIL ? identityKey.email : identityKey.phoneNumber
    return { key: keyOf(contact), what: "a contact" }
  }
  return stamp.kind === "passkey"
    ? { key: identityKey.credentialId(stamp.credentialId), what: "a credential ID" }
    : { key: identityKey.publicKey(stamp.publicKeyHex), what: "a public key" }
}
