import { blake2b } from "@noble/hashes/blake2.js"

/** Signature scheme of a plain Ed25519 key. */
const ED25519_FLAG = 0x00

/** 0x and 64 digits: BLAKE2b-256 of `flag(1) || key(32)` (Sui, keys and addresses). */
export function suiAddress(publicKey: Uint8Array): string {
  const hash = blake2b(Uint8Array.of(ED25519_FLAG, ...publicKey), { dkLen: 32 })
  return `0x${Buffer.from(hash).toString("hex")}`
}
