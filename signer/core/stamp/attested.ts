import { hash, type KeyObject, verify } from "node:crypto"
import { identityName } from "../oidc/identity.ts"
import { type IdToken, readIdToken } from "../oidc/token.ts"
import { contactName } from "../otp/user-contact.ts"
import { readVerificationToken, type UnverifiedToken } from "../otp/verification-token.ts"
import { refuse } from "../refusal.ts"
import { readBase64url } from "../encodings.ts"
import { isDerSignature, strictDerSignature } from "./der.ts"
import { readHex, readMember, readStampJson } from "./header-json.ts"
import { findPublicKey, isPublicKeyHex } from "./keys.ts"

/** The scheme of a key that an ID token names by its nonce. */
export const OIDC_SCHEME = "STAMP_ATTESTED_SCHEME_P256_OIDC"

/** The scheme of a key that a verification token names: its holder read a code that was sent to the contact. */
export const CONTACT_SCHEME = "STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN"

/** A request's signature by a key that no user has registered. */
type KeySignature = {
  readonly kind: "attested"
  /** Name of the identity or contact that the token is about. */
  readonly credential: string
  /** Lower-case hexadecimal, compressed P-256. Whether it is a point is not checked. */
  readonly publicKeyHex: string
  /** DER, as sent. */
  readonly signature: Uint8Array
}

/** The token ties the key to an OIDC identity. Neither its signature nor its times are verified. */
export type IdentityStamp = KeySignature & { readonly scheme: typeof OIDC_SCHEME; readonly token: IdToken }

/** The token ties the key to a contact. Neither its signature nor its times are verified. */
export type ContactStamp = KeySignature & {
  readonly scheme: typeof CONTACT_SCHEME
  readonly token: UnverifiedToken
}

/** A request's signature by a key that no user has registered, with a token that ties the key to a user. */
export type AttestedStamp = IdentityStamp | ContactStamp

/** Largest X-Stamp-Attested value, characters: tokens of large issuers have 1,000 to 2,000. */
const MAX_ATTESTED_STAMP_LENGTH = 12_288

/** Path that refusals of the token name. */
export const ATTESTATION_FIELD = "publicKeyAttestation"

/**
 * Reads the value of an X-Stamp-Attested header: the JSON object `{publicKeyAttestation, scheme, publicKey, signature}`,
 * in base64url or plain. Further members are ignored.
 * @throws Refusal STAMP_MALFORMED, STAMP_SCHEME_UNKNOWN, OIDC_TOKEN_INVALID, VERIFICATION_TOKEN_INVALID
 */
export function readAttestedStamp(header: string): AttestedStamp {
  if (header.length > MAX_ATTESTED_STAMP_LENGTH) throw malformed("the header is too long")
  const text = header.startsWith("{") ? header : readBase64url(header)?.toString()
  if (text === undefined) throw malformed("the header is neither JSON nor base64url")
  const value = readStampJson(text, malformed)
  const scheme = readMember(value, "scheme", malformed)
  if (scheme !== OIDC_SCHEME && scheme !== CONTACT_SCHEME)
    throw refuse(
      "STAMP_SCHEME_UNKNOWN",
      `the stamp names an unknown attested scheme; use ${OIDC_SCHEME} or ${CONTACT_SCHEME}`,
    )
  const publicKeyHex = readMember(value, "publicKey", malformed).toLowerCase()
  if (!isPublicKeyHex("P256", publicKeyHex)) throw malformed("publicKey is not a compressed P-256 key in hex")
  const signature = readHex(readMember(value, "signature", malformed), malformed)
  if (!isDerSignature(signature, "P256")) throw malformed("signature is not DER")
  const compact = readMember(value, ATTESTATION_FIELD, malformed)
  const signed = { kind: "attested", publicKeyHex, signature } as const
  if (scheme === OIDC_SCHEME) {
    const token = readIdToken(compact, ATTESTATION_FIELD)
    return { ...signed, credential: identityName(token), scheme, token }
  }
  const token = readVerificationToken(compact, ATTESTATION_FIELD)
  return { ...signed, credential: contactName(token.claims), scheme, token }
}

/**
 * Requires that the stamp's key signed this body and that the token names the key. The token itself is not verified here:
 * that takes the keys of its issuer, or of the fetcher. @throws Refusal STAMP_INVALID, STAMP_KEY_UNATTESTED
 */
export function requireAttestedKey(stamp: AttestedStamp, body: Uint8Array): void {
  const { publicKeyHex } = stamp
  const difference = differenceOf(stamp)
  if (difference !== undefined) {
    const sentence = `could not verify attested stamp: ${difference} public key ${publicKeyHex}`
    throw refuse("STAMP_KEY_UNATTESTED", sentence)
  }
  const key = findPublicKey("P256", publicKeyHex)
  if (key !== undefined && isSigned(stamp, body, key)) return
  const cause = "another private key, or the body changed after stamping"
  const sentence = `could not verify attested stamp: public key ${publicKeyHex} did not sign this body: ${cause}`
  throw refuse("STAMP_INVALID", sentence)
}

/** How the token names another key than the stamp; undefined: it names this one. */
function differenceOf(stamp: AttestedStamp): string | undefined {
  if (stamp.scheme === OIDC_SCHEME)
    return isOfKey(stamp.token, stamp.publicKeyHex) ? undefined : "the token's nonce is not that of"
  const { publicKey } = stamp.token.claims
  return publicKey === stamp.publicKeyHex ? undefined : "the token is not bound to"
}

function isSigned({ signature }: AttestedStamp, body: Uint8Array, key: KeyObject): boolean {
  const der = strictDerSignature(signature, "P256")
  return der !== undefined && verify("sha256", body, key, der)
}

/**
 * True if the token was issued for this key. Its "nonce", or "tknonce" where an issuer sets the nonce itself, is the lower-case
 * hexadecimal SHA-256 of the key's hexadecimal text.
 */
export function isOfKey({ claims }: Pick<IdToken, "claims">, publicKeyHex: string): boolean {
  const nonce = hash("sha256", publicKeyHex, "hex")
  return claims["nonce"] === nonce || claims["tknonce"] === nonce
}

function malformed(reason: string, cause?: unknown) {
  return refuse("STAMP_MALFORMED", `could not extract attested stamp: ${reason}`, { cause })
}
