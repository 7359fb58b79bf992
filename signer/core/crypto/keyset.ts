import { createPublicKey, type KeyObject, sign, verify } from "node:crypto"
import { expand } from "./branch.ts"
import { p256Point, p256PrivateKey, p256PublicKey } from "./p256.ts"
import type { Secret } from "./secret.ts"

/** The two P-256 key pairs clients know. `publicHex`: encrypt point(65) || sign point(65), uncompressed, 260 digits. */
export type KeySet = {
  readonly encrypt: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }
  readonly sign: KeyObject
  readonly publicHex: string
}

/**
 * Key set of a 32-byte seed, compatible with QOS: each scalar is HKDF-SHA512(salt = its path, ikm = seed,
 * info = "", 32 bytes).
 * @throws {RangeError} for a seed of another length, or (never in practice) one whose scalar is 0 or above n.
 */
export function openKeySet(seed: Secret): KeySet {
  if (seed.length !== 32) throw new RangeError("the seed of a key set has 32 bytes")
  const encrypt = keyAt(seed, "qos_p256_encrypt")
  const signing = keyAt(seed, "qos_p256_sign")
  return {
    encrypt: { privateKey: encrypt, publicKey: createPublicKey(encrypt) },
    sign: signing,
    publicHex: Buffer.concat([p256Point(encrypt), p256Point(signing)]).toString("hex"),
  }
}

/** ECDSA P-256 over SHA-256 of the message, which this function hashes. 64 bytes, r || s. */
export function signMessage(keySet: KeySet, message: Uint8Array): Uint8Array {
  return Uint8Array.from(sign("sha256", message, { key: keySet.sign, dsaEncoding: "ieee-p1363" }))
}

/** The same signature in DER (RFC 3279 §2.2.3), for readers that accept no other form. */
export function signDer(keySet: KeySet, message: Uint8Array): Uint8Array {
  return Uint8Array.from(sign("sha256", message, { key: keySet.sign, dsaEncoding: "der" }))
}

function keyAt(seed: Secret, path: string): KeyObject {
  const scalar = expand(seed, path, "", 32)
  try {
    return p256PrivateKey(scalar)
  } finally {
    scalar.wipe()
  }
}

/** A key set as others know it. */
export type PublicKeySet = { readonly encrypt: KeyObject; readonly sign: KeyObject }

const POINT_LENGTH = 65

/** Reads the public form, `encrypt point(65) || sign point(65)` in lower-case hexadecimal; undefined: it is none. */
export function readPublicKeySet(publicHex: string): PublicKeySet | undefined {
  if (!/^[0-9a-f]{260}$/.test(publicHex)) return undefined
  const bytes = Buffer.from(publicHex, "hex")
  const encrypt = p256PublicKey(bytes.subarray(0, POINT_LENGTH))
  const signing = p256PublicKey(bytes.subarray(POINT_LENGTH))
  return encrypt && signing && { encrypt, sign: signing }
}

/**
 * ECDSA P-256 over SHA-256(tag || 0x00 || bytes), r || s. Each kind of statement has a tag of its own, so that
 * a statement of one kind cannot be read as another kind.
 */
export function signTagged(keySet: KeySet, tag: string, bytes: Uint8Array): Uint8Array {
  return signMessage(keySet, tagged(tag, bytes))
}

export function isSignedTagged(
  publicKey: KeyObject,
  tag: string,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  return verify("sha256", tagged(tag, bytes), { key: publicKey, dsaEncoding: "ieee-p1363" }, signature)
}

function tagged(tag: string, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(tag), Buffer.from([0]), bytes])
}
