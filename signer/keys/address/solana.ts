import { base58 } from "@scure/base"

/** Base58 of the 32 bytes of an Ed25519 key, 64 hex digits. */
export function solanaAddress(publicKeyHex: string): string {
  return base58.encode(Uint8Array.from(Buffer.from(publicKeyHex, "hex")))
}
