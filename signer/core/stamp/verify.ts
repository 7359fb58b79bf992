import { stampRefusal } from "../fault-refusals.ts"
import { CEREMONY_KINDS, isFault } from "../fault.ts"
import { type KeyObject, verify } from "node:crypto"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Refusal, refuse } from "../refusal.ts"
import { CONTACT_SCHEME, OIDC_SCHEME, requireAttestedKey } from "./attested.ts"
import { type EcdsaCurve, readDerSignature, strictDerSignature } from "./der.ts"
import { curveOfScheme, findPublicKey, isStampScheme, schemeFits } from "./keys.ts"
import {
  type BodySignature,
  eip191Digest,
  hashEip191InSteps,
  hashInSteps,
  sha256OfBody,
  verifyBody,
  verifyBodyInSteps,
} from "./large-body.ts"
import type { KeySignature, PasskeyStamp, Stamp, StampParts } from "./read-stamp.ts"
import { ED25519_SIGNATURE_BYTES, PASSKEY_SCHEME, readPasskeyStamp } from "./read-stamp.ts"
import type { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { readBase64url } from "../encodings.ts"
import { requireAssertion } from "../webauthn/assertion.ts"
import { readAuthenticatorData } from "../webauthn/authenticator-data.ts"
import type { Steps } from "../turns/steps.ts"

/**
 * True if the stamp's key signed exactly these bytes; false also for a key that is no sound point and for a malformed
 * signature. Never throws. The key's owner is not checked.
 */
export function verifyStamp({ scheme, publicKeyHex, signature }: KeySignature, body: Uint8Array): boolean {
  const key = findPublicKey(curveOfScheme(scheme), publicKeyHex)
  if (key === undefined) return false
  switch (scheme) {
    case "SIGNATURE_SCHEME_TK_API_P256":
      return verifyEcdsaSha256(key, "P256", signature, body)
    case "SIGNATURE_SCHEME_TK_API_SECP256K1":
      return verifyEcdsaSha256(key, "SECP256K1", signature, body)
    case "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191":
      return verifyEip191(publicKeyHex, signature, body)
    case "SIGNATURE_SCHEME_TK_API_ED25519":
      // OpenSSL compares the encoding of R and requires S below the order: one key, one message, one signature.
      return signature.length === ED25519_SIGNATURE_BYTES && verify(null, body, key, signature)
    default:
      return scheme satisfies never
  }
}

/** Refuses a stamp that does not cover these bytes. @throws Refusal STAMP_INVALID */
export function requireStamp(stamp: KeySignature, body: Uint8Array): void {
  if (verifyStamp(stamp, body)) return
  const cause = "another private key, or the body changed after stamping"
  const sentence = `public key ${stamp.publicKeyHex} did not sign this body: ${cause}`
  throw refuse("STAMP_INVALID", `could not verify api key signature: ${sentence}`)
}

function verifyEcdsaSha256(
  key: KeyObject,
  curve: EcdsaCurve,
  signature: Uint8Array,
  body: Uint8Array,
): boolean {
  const der = strictDerSignature(signature, curve)
  return der !== undefined && verifyBody(body, { key, der })
}

/** Does the costly part of verifying a stamp over a large body, in steps. Whether it is valid is decided afterwards. */
export function* verifyInSteps(stamp: Stamp, body: Uint8Array): Steps<void> {
  if (stamp.kind === "passkey") yield* hashInSteps(body)
  if (stamp.kind !== "api-key") return
  const signature = ecdsaOf(stamp)
  if (signature !== undefined) yield* verifyBodyInSteps(body, signature)
  else if (stamp.scheme === "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191") yield* hashEip191InSteps(body)
}

/** The signature if its scheme is ECDSA over SHA-256. */
function ecdsaOf({ scheme, publicKeyHex, signature }: KeySignature): BodySignature | undefined {
  const curve = curveOfScheme(scheme)
  if (curve === "ED25519" || scheme === "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191") return undefined
  const key = findPublicKey(curve, publicKeyHex)
  const der = strictDerSignature(signature, curve)
  return key && der && { key, der }
}

/**
 * EIP-191 version 0x45, personal_sign of wallets. `node:crypto` does not verify a given digest, so noble does, in about
 * a millisecond; the caller has checked that the key is a point.
 */
function verifyEip191(publicKeyHex: string, signature: Uint8Array, body: Uint8Array): boolean {
  const scalars = readDerSignature(signature, "SECP256K1")
  if (scalars === undefined) return false
  const publicKey = Buffer.from(publicKeyHex, "hex")
  const options = { prehash: false, lowS: false, format: "compact" } as const
  return secp256k1.verify(scalars, eip191Digest(body), publicKey, options)
}

/** The members of a stored API key that its stamps are checked against. `expiresAtMs` 0: it does not expire. */
export type StoredApiKey = {
  readonly publicKey: string
  readonly type: CredentialType
  readonly expiresAtMs: bigint
}

/** The members of a stored passkey that its stamps are checked against. */
export type StoredPasskey = { readonly publicKey: Uint8Array; readonly rpIdHash: Uint8Array }

/** The credential that a stamp names, from the organization's document. */
export type StoredCredential =
  | { readonly apiKey: StoredApiKey }
  | { readonly authenticator: StoredPasskey }
  | { readonly oauthProvider: object }
  | { readonly contact: object }

/** `origins`: allowed by the organization, undefined for any; called only for stamps of passkeys. */
export type StampConditions = { nowMs: number; origins: () => readonly string[] | undefined }

/**
 * Refuses a stamp unless this credential made it for this body and has not expired. Both tiers verify stamps only by
 * this function. The signature is verified last, because it costs most. The token of an attested stamp is not verified
 * here: the signer does that with the keys of its issuer, or of the fetcher.
 *
 * @throws Refusal STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED, STAMP_MALFORMED, STAMP_CEREMONY_WRONG,
 *   STAMP_ORIGIN_WRONG, STAMP_INVALID, STAMP_KEY_UNATTESTED
 */
export function requireStampByCredential(
  stored: StoredCredential,
  stamp: Stamp,
  body: Uint8Array,
  { nowMs, origins }: StampConditions,
): void {
  if (stamp.kind === "passkey" && "authenticator" in stored) {
    requirePasskeyStamp(stored.authenticator, stamp, body, origins())
    return
  }
  if (stamp.kind === "attested" && (stamp.scheme === OIDC_SCHEME ? "oauthProvider" : "contact") in stored) {
    requireAttestedKey(stamp, body)
    return
  }
  requireStamp(requireUsableKey(stored, stamp, nowMs), body)
}

/** Refuses another scheme than the key's, and an expired key. @throws Refusal STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED */
export function requireUsableKey(stored: StoredCredential, stamp: Stamp, nowMs: number): KeySignature {
  if (stamp.kind !== "api-key" || !("apiKey" in stored) || !schemeFits(stamp.scheme, stored.apiKey.type)) {
    throw refuse("STAMP_SCHEME_MISMATCH", `the credential does not stamp with ${stamp.scheme}`)
  }
  const { expiresAtMs, publicKey } = stored.apiKey
  if (expiresAtMs !== 0n && expiresAtMs <= BigInt(nowMs)) {
    throw refuse(
      "CREDENTIAL_EXPIRED",
      `expired api key: rpc error: code = Unauthenticated desc = expired api key publicKey=${publicKey}`,
    )
  }
  return stamp
}

/** No user of the organization or of its parent owns the credential. Published clients match these texts. */
export function unknownCredential(stamp: Stamp, organizationId: string): Refusal {
  const where = "could not be found in organization or its parent organization"
  if (stamp.kind === "attested" && stamp.scheme === CONTACT_SCHEME)
    return refuse(
      "IDENTITY_UNKNOWN",
      `contact of exactly one user ${where}: organizationId=${organizationId}`,
    )
  if (stamp.kind === "attested") {
    const { issuer, audience, subject } = stamp.token
    const named = `issuer=${issuer} audience=${audience} subject=${subject}`
    return refuse("IDENTITY_UNKNOWN", `OIDC identity ${where}: organizationId=${organizationId} ${named}`)
  }
  return stamp.kind === "passkey"
    ? refuse(
        "PASSKEY_UNKNOWN",
        `credential ID ${where}: organizationId=${organizationId} ` +
          `credentialId=${Buffer.from(stamp.credentialId).toString("base64url")}`,
      )
    : refuse(
        "CREDENTIAL_UNKNOWN",
        "could not find public key in organization or its parent organization: " +
          `organizationId=${organizationId} publicKey=${stamp.publicKeyHex}`,
      )
}

function requirePasskeyStamp(
  { publicKey, rpIdHash }: StoredPasskey,
  stamp: PasskeyStamp,
  body: Uint8Array,
  origins: readonly string[] | undefined,
): void {
  try {
    requireAssertion(stamp, { challenge: challengeOf(body), publicKey, rpIdHash, origins })
  } catch (cause) {
    if (!isFault(cause, ...CEREMONY_KINDS)) throw cause
    throw stampRefusal(cause)
  }
}

/** The challenge of a body, as browsers write it: base64url of the 64 lower-case digits of its SHA-256. */
export function challengeOf(body: Uint8Array): string {
  return Buffer.from(sha256OfBody(body).toString("hex")).toString("base64url")
}

/** A stamp as stored with votes and shown in proofs. */
export type StoredStamp = Omit<StampParts, "credential">

/** True if the key in the stamp signed these bytes; owner, page origin and token are not checked. Never throws. */
export function verifyStoredStamp(stamp: StoredStamp, message: Uint8Array): boolean {
  const { scheme, publicKey, signature } = stamp
  if (scheme === PASSKEY_SCHEME) return verifyStoredPasskeyStamp(publicKey, signature, message)
  if (scheme === OIDC_SCHEME || scheme === CONTACT_SCHEME)
    return verifyStoredStamp({ scheme: "SIGNATURE_SCHEME_TK_API_P256", publicKey, signature }, message)
  if (!isStampScheme(scheme) || !/^(?:[0-9a-fA-F]{2})+$/.test(signature)) return false
  return verifyStamp({ scheme, publicKeyHex: publicKey, signature: Buffer.from(signature, "hex") }, message)
}

function verifyStoredPasskeyStamp(publicKey: string, header: string, message: Uint8Array): boolean {
  try {
    const stamp = readPasskeyStamp(header)
    const { rpIdHash } = readAuthenticatorData(stamp.authenticatorData)
    const key = readBase64url(publicKey)
    if (key === undefined) return false
    requireAssertion(stamp, {
      challenge: challengeOf(message),
      publicKey: key,
      rpIdHash,
      origins: undefined,
    })
    return true
  } catch (error) {
    if (isFault(error, ...CEREMONY_KINDS) || error instanceof Refusal) return false
    throw error
  }
}
