import { hash } from "node:crypto"
import { ripemd160 } from "@noble/hashes/legacy.js"
import { base58 } from "@scure/base"

const CHECKSUM_LENGTH = 4

export function sha256(bytes: Uint8Array): Uint8Array {
  return hash("sha256", bytes, "buffer")
}

/** RIPEMD-160 of SHA-256, 20 bytes. From noble: builds of OpenSSL without the legacy provider have no RIPEMD-160. */
export function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes))
}

/** Base58Check: Base58 of `version(1) || body || first 4 bytes of SHA-256(SHA-256(version || body))`. */
export function base58check(
  version: number,
  body: Uint8Array,
  alphabet: { encode(bytes: Uint8Array): string } = base58,
): string {
  const payload = Uint8Array.of(version, ...body)
  const checksum = sha256(sha256(payload)).subarray(0, CHECKSUM_LENGTH)
  return alphabet.encode(Uint8Array.of(...payload, ...checksum))
}
