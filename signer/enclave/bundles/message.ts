import type { KeyObject } from "node:crypto"
import { clientContext } from "../../core/crypto/client-hpke.ts"
import { openHpke, sealHpke } from "../../core/crypto/hpke.ts"
import { p256Point, p256PrivateKey, p256PublicKey } from "../../core/crypto/p256.ts"
import { type RandomBytes, type Secret, wiping } from "../../core/crypto/secret.ts"
import { refuse } from "../../core/refusal.ts"
import { createPrivateKey } from "../keys/private-key.ts"

/** A sealed secret: the ephemeral point, 65 bytes uncompressed, and ciphertext || tag(16). */
export type SealedMessage = { readonly encappedPublic: Uint8Array; readonly ciphertext: Uint8Array }

/** Seals to a P-256 key as published clients expect: HPKE with both points as associated data. */
export function sealMessage(recipient: KeyObject, plaintext: Secret, random: RandomBytes): SealedMessage {
  const { secret } = createPrivateKey("CURVE_P256", random)
  return wiping([secret], () => {
    const ephemeral = p256PrivateKey(secret)
    const encappedPublic = p256Point(ephemeral)
    const context = clientContext(encappedPublic, recipient)
    return { encappedPublic, ciphertext: sealHpke({ ephemeral, recipient }, context, plaintext) }
  })
}

/** Opens a message that a client sealed to the point of the scalar; undefined for every fault. */
export function openMessage(recipient: Secret, message: SealedMessage): Secret | undefined {
  const { encappedPublic: enc, ciphertext } = message
  const privateKey = p256PrivateKey(recipient)
  return openHpke({ recipient: privateKey, enc }, clientContext(enc, privateKey), ciphertext)
}

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
