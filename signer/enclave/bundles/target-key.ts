import type { KeyObject } from "node:crypto"
import { p256PublicKey } from "../../core/crypto/p256.ts"
import { refuse } from "../../core/refusal.ts"

/**
 * The key that a user wants his secret sealed to: `04 || x || y` in 130 hex digits. The compressed form of a point
 * would give the other end another key, so it is refused.
 *
 * @throws {Refusal} TARGET_KEY_INVALID
 */
export function readTargetKey(digits: string, field: string): KeyObject {
  const publicKey = p256PublicKey(Uint8Array.from(Buffer.from(digits, "hex")))
  if (publicKey !== undefined) return publicKey
  const sentence = "the target key must be a point of P-256, uncompressed, in 130 hexadecimal digits"
  throw refuse("TARGET_KEY_INVALID", sentence, { field })
}
