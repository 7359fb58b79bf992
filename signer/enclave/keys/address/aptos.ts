import { hash } from "node:crypto"

/** Authentication scheme of a plain Ed25519 key. */
const ED25519_SCHEME = 0x00

/**
 * 0x and 64 digits, leading zeros kept (AIP-40, LONG): SHA3-256 of `key(32) || scheme(1)`, the authentication key
 * that an account is born with.
 */
export function aptosAddress(publicKey: Uint8Array): string {
  return `0x${hash("sha3-256", Uint8Array.of(...publicKey, ED25519_SCHEME), "hex")}`
}
