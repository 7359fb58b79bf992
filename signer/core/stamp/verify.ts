import { type KeyObject, verify } from "node:crypto"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { refuse } from "../refusal.ts"
import { type EcdsaCurve, readDerSignature, strictDerSignature } from "./der.ts"
import { findPublicKey } from "./keys.ts"
import { ED25519_SIGNATURE_BYTES, type KeySignature } from "./read-stamp.ts"
import { curveOfScheme } from "./scheme.ts"

/**
 * Whether the stamp's key signed exactly these bytes; false also for a key that is no sound point and for a malformed
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

/**
 * Refuses a stamp that does not cover these bytes.
 *
 * @throws Refusal STAMP_INVALID
 */
export function requireStamp(stamp: KeySignature, body: Uint8Array): void {
  if (!verifyStamp(stamp, body))
    throw refuse("STAMP_INVALID", "could not verify api key signature: it does not cover this request body")
}

function verifyEcdsaSha256(
  key: KeyObject,
  curve: EcdsaCurve,
  signature: Uint8Array,
  body: Uint8Array,
): boolean {
  const der = strictDerSignature(signature, curve)
  // A bare key and DER: with an options object Node takes half as long again.
  return der !== undefined && verify("sha256", body, key, der)
}

/**
 * EIP-191 version 0x45, personal_sign of wallets. `node:crypto` does not verify a given digest, so noble does, in about
 * a millisecond; the caller has checked that the key is a point.
 */
function verifyEip191(publicKeyHex: string, signature: Uint8Array, body: Uint8Array): boolean {
  const scalars = readDerSignature(signature, "SECP256K1")
  if (scalars === undefined) return false
  const prefix = utf8ToBytes(`\u0019Ethereum Signed Message:\n${body.length}`)
  const digest = keccak_256(concatBytes(prefix, body))
  const publicKey = Buffer.from(publicKeyHex, "hex")
  return secp256k1.verify(scalars, digest, publicKey, { prehash: false, lowS: false, format: "compact" })
}
