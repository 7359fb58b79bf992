import type { KeyObject } from "node:crypto"
import { p256PublicKey } from "../../core/crypto/p256.ts"
import { refuse } from "../../core/refusal.ts"

/**
 * Reads the key to seal an export to: `04 || x || y` in 130 hex digits. Compressed points are refused: with one the
 * client would derive another key. @throws TARGET_KEY_INVALID
 */
export function readTargetKey(digits: string, field: string): KeyObject {
  const publicKey = p256PublicKey(Uint8Array.from(Buffer.from(digits, "hex")))
  if (publicKey !== undefined) return publicKey
  const sentence = "the target key must be a point of P-256, uncompressed, in 130 hexadecimal digits"
  throw refuse("TARGET_KEY_INVALID", sentence, { field })
}
