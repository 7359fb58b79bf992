import { hash, type KeyObject, verify } from "node:crypto"
import { identityName } from "../oidc/identity.ts"
import { type IdToken, readIdToken } from "../oidc/token.ts"
import { refuse } from "../refusal.ts"
import { readBase64url } from "../webauthn/base64url.ts"
import { isDerSignature, strictDerSignature } from "./der.ts"
import { readHex, readMember, readStampJson } from "./header-json.ts"
import { findPublicKey, isPublicKeyHex } from "./keys.ts"

/** The scheme of a key that an ID token names by its nonce. */
export const OIDC_SCHEME = "STAMP_ATTESTED_SCHEME_P256_OIDC"

/** A request's signature by a key that no user has registered, with a token that ties the key to a user. */
export type AttestedStamp = {
  readonly kind: "attested"
  /** Name of the token's identity. */
  readonly credential: string
  readonly scheme: typeof OIDC_SCHEME
  /** Lower-case hexadecimal, compressed P-256. Whether it is a point is not checked. */
  readonly publicKeyHex: string
  /** DER, as sent. */
  readonly signature: Uint8Array
  /** Not verified: neither its signature nor its times. */
  readonly token: IdToken
}

/** Largest X-Stamp-Attested value, characters: tokens of large issuers have 1,000 to 2,000. */
const MAX_ATTESTED_STAMP_LENGTH = 12_288

/** Path that refusals of the token name. */
export const ATTESTATION_FIELD = "publicKeyAttestation"

/**
 * Reads the value of an X-Stamp-Attested header: the JSON object `{publicKeyAttestation, scheme, publicKey, signature}`,
 * in base64url or plain. Further members are ignored.
 * @throws Refusal STAMP_MALFORMED, STAMP_SCHEME_UNKNOWN, OIDC_TOKEN_INVALID
 */
export function readAttestedStamp(header: string): AttestedStamp {
  if (header.length > MAX_ATTESTED_STAMP_LENGTH) throw malformed("the header is too long")
  const text = header.startsWith("{") ? header : readBase64url(header)?.toString()
  if (text === undefined) throw malformed("the header is neither JSON nor base64url")
  const value = readStampJson(text, malformed)
  const scheme = readMember(value, "scheme", malformed)
  if (scheme !== OIDC_SCHEME)
    throw refuse("STAMP_SCHEME_UNKNOWN", "the stamp names an attested scheme that is not served here")
  const publicKeyHex = readMember(value, "publicKey", malformed).toLowerCase()
  if (!isPublicKeyHex("P256", publicKeyHex)) throw malformed("publicKey is not a compressed P-256 key in hex")
  const signature = readHex(readMember(value, "signature", malformed), malformed)
  if (!isDerSignature(signature, "P256")) throw malformed("signature is not DER")
  const token = readIdToken(readMember(value, ATTESTATION_FIELD, malformed), ATTESTATION_FIELD)
  return { kind: "attested", credential: identityName(token), scheme, publicKeyHex, signature, token }
}

/**
 * Requires that the stamp's key signed this body and that the token names the key. The token itself is not verified here:
 * that takes the keys of its issuer. @throws Refusal STAMP_INVALID, STAMP_KEY_UNATTESTED
 */
export function requireAttestedKey(stamp: AttestedStamp, body: Uint8Array): void {
  const { publicKeyHex, token } = stamp
  if (!isOfKey(token, publicKeyHex)) {
    const sentence = `could not verify attested stamp: the token's nonce is not that of public key ${publicKeyHex}`
    throw refuse("STAMP_KEY_UNATTESTED", sentence)
  }
  const key = findPublicKey("P256", publicKeyHex)
  if (key !== undefined && isSigned(stamp, body, key)) return
  const cause = "another private key, or the body changed after stamping"
  const sentence = `could not verify attested stamp: public key ${publicKeyHex} did not sign this body: ${cause}`
  throw refuse("STAMP_INVALID", sentence)
}

function isSigned({ signature }: AttestedStamp, body: Uint8Array, key: KeyObject): boolean {
  const der = strictDerSignature(signature, "P256")
  return der !== undefined && verify("sha256", body, key, der)
}

/**
 * True if the token was issued for this key: its "nonce", or "tknonce" where an issuer sets the nonce itself, is the
 * lower-case hexadecimal SHA-256 of the key's hexadecimal text.
 */
export function isOfKey({ claims }: Pick<IdToken, "claims">, publicKeyHex: string): boolean {
  const nonce = hash("sha256", publicKeyHex, "hex")
  return claims["nonce"] === nonce || claims["tknonce"] === nonce
}

function malformed(reason: string, cause?: unknown) {
  return refuse("STAMP_MALFORMED", `could not extract attested stamp: ${reason}`, { cause })
}
