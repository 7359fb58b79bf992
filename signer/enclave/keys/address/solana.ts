import { base58 } from "@scure/base"

/** Base58 of the 32 bytes of an Ed25519 key. */
export function solanaAddress(publicKey: Uint8Array): string {
  return base58.encode(publicKey)
}
