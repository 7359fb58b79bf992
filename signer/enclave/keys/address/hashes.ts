import { hash } from "node:crypto"
import { ripemd160 } from "@noble/hashes/legacy.js"

export function sha256(bytes: Uint8Array): Uint8Array {
  return hash("sha256", bytes, "buffer")
}

/** RIPEMD-160 of SHA-256, 20 bytes: how Bitcoin and its relatives name a key or a script. */
export function hash160(bytes: Uint8Array): Uint8Array {
  // Builds of OpenSSL without its legacy provider have no RIPEMD-160.
  return ripemd160(sha256(bytes))
}
