import type {
  ApiKey,
  Authenticator,
  OrganizationDocument,
} from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { OidcSubject as OidcIdentity } from "../../../core/oidc/identity.ts"
import { type Contact, contactName, contactsOf } from "../../../core/otp/user-contact.ts"
import { type AttestedStamp, OIDC_SCHEME } from "../../../core/stamp/attested.ts"
import { credentialKeyName, isRecoverable } from "../../../core/webauthn/cose-key.ts"
import { type MacKey, macRecord } from "../../keys/record-mac.ts"

/**
 * An identity of a login that names only the parent.
 *
 * - `public-key`: an API key.
 * - `passkey-key`: the public key of a passkey. An assertion names a credential id that anybody can exchange, but the
 *   keys that an ECDSA assertion fits can be computed from it.
 * - `passkey-rsa`: the credential id of an RSA or Ed25519 passkey, whose key cannot be computed.
 * - `passkey`: the credential id of a passkey registered before passkeys entered by their keys.
 * - `oidc`: a subject of an OIDC issuer.
 * - `contact`: an e-mail address or a phone number that a verification token has proven to be its user's.
 */
export type Identity =
  | { kind: "public-key"; publicKeyHex: string }
  | { kind: "passkey-key"; key: string }
  | { kind: "passkey-rsa" | "passkey"; credentialId: Uint8Array }
  | { kind: "oidc"; issuer: string; audience: string; subject: string }
  | { kind: "contact"; name: string }

/** A credential of a document under one of its identities; for a contact its user. `expiresMs`: 0 for never. */
export type Holding = { identity: Identity; credentialId: string; expiresMs: bigint }

/** Holdings of all users of a document, one by one: there may be thousands. */
export function* holdingsOf({ users }: Pick<OrganizationDocument, "users">): Generator<Holding> {
  for (const user of users) {
    const { apiKeys, authenticators, oauthProviders, userId } = user
    for (const apiKey of apiKeys) {
      const { apiKeyId: credentialId, expiresAtMs: expiresMs } = apiKey
      yield { identity: identityOfKey(apiKey), credentialId, expiresMs }
    }
    for (const authenticator of authenticators) {
      const { authenticatorId: credentialId } = authenticator
      for (const identity of identitiesOfPasskey(authenticator))
        yield { identity, credentialId, expiresMs: 0n }
    }
    for (const provider of oauthProviders)
      yield { identity: identityOfProvider(provider), credentialId: provider.providerId, expiresMs: 0n }
    for (const contact of contactsOf(user).filter(({ isProven }) => isProven))
      yield { identity: identityOfContact(contact), credentialId: userId, expiresMs: 0n }
  }
}

export function identityOfKey({ publicKey }: Pick<ApiKey, "publicKey">): Identity {
  return { kind: "public-key", publicKeyHex: publicKey }
}

export function identityOfProvider({ issuer, audience, subject }: OidcIdentity): Identity {
  return { kind: "oidc", issuer, audience, subject }
}

export function identityOfContact(contact: Contact): Identity {
  return { kind: "contact", name: contactName(contact) }
}

/** The identity that an attested stamp is of, by its token. */
export function identityOfStamp(stamp: AttestedStamp): Identity {
  if (stamp.scheme === OIDC_SCHEME) return identityOfProvider(stamp.token)
  return identityOfContact(stamp.token.claims)
}

export function identitiesOfPasskey(passkey: Pick<Authenticator, "publicKey" | "credentialId">): Identity[] {
  const byKey = keyOfPasskey(passkey)
  const { credentialId } = passkey
  return isRecoverable(byKey.key) ? [byKey] : [byKey, { kind: "passkey-rsa", credentialId }]
}

export function keyOfPasskey({ publicKey }: Pick<Authenticator, "publicKey">) {
  return { kind: "passkey-key" as const, key: credentialKeyName(publicKey) }
}

/** Keyed digest of an identity among the sub-organizations of a parent, 64 hexadecimal digits. */
export function identityDigest(key: MacKey, parentId: string, identity: Identity): string {
  const parts = [parentId, identity.kind, ...partsOf(identity)].map((part) => Buffer.from(part))
  return Buffer.from(macRecord(key, "countersign/v1/identity", ...parts)).toString("hex")
}

function partsOf(identity: Identity): (string | Uint8Array)[] {
  switch (identity.kind) {
    case "public-key":
      return [identity.publicKeyHex]
    case "passkey-key":
      return [identity.key]
    case "passkey-rsa":
    case "passkey":
      return [identity.credentialId]
    case "contact":
      return [identity.name]
    case "oidc":
      return [identity.issuer, identity.audience, identity.subject]
    default:
      return identity satisfies never
  }
}
