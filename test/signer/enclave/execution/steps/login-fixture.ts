// A parent, a sub-organization and a register of their identities, for logins that name the parent.
import { create } from "@bufbuild/protobuf"
import { CredentialType, OtpType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import { writeVerificationToken } from "../../../../../signer/core/otp/verification-token.ts"
import { CONTACT_SCHEME, readAttestedStamp } from "../../../../../signer/core/stamp/attested.ts"
import { fittingKeys } from "../../../../../signer/core/stamp/fitting-keys.ts"
import { readPasskeyStamp, readStamp, type Stamp } from "../../../../../signer/core/stamp/read-stamp.ts"
import { findHome } from "../../../../../signer/enclave/execution/steps/family-login.ts"
import type { Identity } from "../../../../../signer/enclave/execution/state/identity.ts"
import {
  type IdentityTally,
  readTally,
} from "../../../../../signer/enclave/execution/state/identity-tally.ts"
import { AttestedKey, nonceOf } from "../../../../harness/attested.ts"
import { Passkey } from "../../../../harness/authenticator.ts"
import { claimsOf, idToken, issuerKey } from "../../../../harness/id-token.ts"
import { newCurveKey, stampUnder } from "../../../../harness/scheme-keys.ts"
import { newKey } from "../../../../harness/stamper.ts"

export const NOW_MS = 1_700_000_000_000
const BODY = "the login's body"

/** Ids in the order of their creation. */
export const id = (age: number): string => `${String(age).padStart(8, "0")}-0000-7000-8000-000000000000`
export const PARENT = id(1)
export const CHILD = id(50)

export const key = newCurveKey("API_KEY_CURVE_P256")
export const passkey = new Passkey()
export const rsaPasskey = new Passkey({ algorithm: "RS256" })

export const keyStamp = readStamp(stampUnder(key, "SIGNATURE_SCHEME_TK_API_P256", BODY))
export const passkeyStamp = readPasskeyStamp(passkey.stamp(BODY))
export const rsaStamp = readPasskeyStamp(rsaPasskey.stamp(BODY))

/** Another key that the stamp of `key` fits. */
export const otherKey = fittingKeys(keyStamp, Buffer.from(BODY)).find((one) => one !== key.publicKeyHex)!

/** An identity of an issuer, and stamps by a key of it. The token is not verified here. */
const issuer = issuerKey()
const subject = { issuer: "https://issuer.example", audience: "app", subject: "alice" }
const attested = newKey()
const nonce = nonceOf(attested)
const identityToken = idToken(claimsOf(subject.issuer, NOW_MS, { nonce }), issuer)
const byIdentity = new AttestedKey(attested, identityToken)
export const identityStamp = readAttestedStamp(byIdentity.stamp(BODY))
/** A stamp whose signature is of another body. */
export const wrongIdentityStamp = readAttestedStamp(byIdentity.stamp("another body"))

const CONTACT = "ann@example.com"
const verificationToken = {
  id: id(7),
  organizationId: PARENT,
  channel: OtpType.EMAIL,
  contact: CONTACT,
  publicKey: attested.publicKeyHex,
  expiresAtMs: NOW_MS + 1,
  isSealed: true,
}
const contactToken = writeVerificationToken(verificationToken, () => new Uint8Array(64))
const byContact = new AttestedKey(attested, contactToken, CONTACT_SCHEME)
export const contactStamp = readAttestedStamp(byContact.stamp(BODY))

/** A stamp whose signature is of another body. */
export const wrongStamp = readStamp(stampUnder(key, "SIGNATURE_SCHEME_TK_API_P256", "another body"))

/** The credentials of a document's only user. */
type Credentials = {
  apiKeys?: { apiKeyId: string; expiresAtMs?: number; createdAtMs?: number }[]
  passkeys?: { authenticatorId: string; of: Passkey }[]
  /** Id of the provider with the identity of `identityStamp`. */
  identity?: string
  /** The contact of `contactStamp`. `userId`: the id of its user. */
  contact?: { userId: string; isProven: boolean }
}

function organizationOf(
  organizationId: string,
  parentId: string,
  { apiKeys = [], passkeys = [], identity, contact }: Credentials,
  { isRoot = false, createdAtMs = 0 } = {},
): Organization {
  const userId = contact?.userId ?? "user"
  const user = {
    userId,
    apiKeys: apiKeys.map(({ apiKeyId, expiresAtMs = 0, createdAtMs: keyCreatedAtMs = 0 }) => ({
      apiKeyId,
      publicKey: key.publicKeyHex,
      type: CredentialType.API_KEY_P256,
      expiresAtMs: BigInt(expiresAtMs),
      createdAtMs: BigInt(keyCreatedAtMs),
    })),
    authenticators: passkeys.map(({ authenticatorId, of }) => ({
      authenticatorId,
      credentialId: of.credentialId,
      publicKey: of.publicKey,
    })),
    oauthProviders: identity === undefined ? [] : [{ providerId: identity, ...subject }],
    ...(contact !== undefined && { email: CONTACT, emailVerified: contact.isProven }),
  }
  const rootQuorum = { threshold: 1, userIds: isRoot ? [userId] : ["another"] }
  const document = create(OrganizationDocumentSchema, {
    organizationId,
    parentId,
    users: [user],
    rootQuorum,
    createdAtMs: BigInt(createdAtMs),
  })
  return new Organization(document, new Uint8Array(32), 0)
}

/** A tally of the sub-organization CHILD. */
export const tally = (parts: Partial<IdentityTally>): IdentityTally => ({
  ...readTally(undefined),
  since: CHILD,
  ...parts,
})
export const created = (parts: Partial<IdentityTally> = {}) => tally({ created: 1n, first: CHILD, ...parts })
export const provenIds = (organizationId: string) => Buffer.from(organizationId.replaceAll("-", ""), "hex")

type Login = {
  stamp?: Stamp
  timestampMs?: number
  parent?: Credentials & { isRoot?: boolean }
  /** Id of the parent user's session with `key`. */
  session?: string
  child?: Credentials & { createdAtMs?: number }
  /** Tallies by the key or the kind of their identity. */
  tallies?: { [identity: string]: IdentityTally }
}

/** The id of the organization that a login enters. @throws the codes of findHome */
export function homeOf({ stamp = keyStamp, timestampMs = NOW_MS, ...login }: Login): string {
  const { parent = {}, session, child = {}, tallies = {} } = login
  const nameOf = (identity: Identity) =>
    identity.kind === "public-key" ? identity.publicKeyHex : identity.kind
  const deps = {
    register: { tally: (_: string, identity: Identity) => tallies[nameOf(identity)] ?? readTally(undefined) },
    organizations: {
      openRelated(organizationId: string) {
        if (organizationId === PARENT) throw new Error("the parent is open")
        return organizationOf(organizationId, PARENT, child, child)
      },
    },
    sessions: {
      find: (organizationId: string, publicKey: string) =>
        organizationId === PARENT && publicKey === key.publicKeyHex && session !== undefined
          ? { id: session, userId: "user", publicKey, expiresAtMs: 0n, createdAtMs: 0n }
          : undefined,
    },
    nowMs: () => NOW_MS,
  }
  const request = { stamp, body: Buffer.from(BODY), timestampMs }
  const opened = organizationOf(PARENT, "", parent, parent)
  return findHome(request as never, opened, undefined as never, deps as never).id
}
