import type { KeyObject } from "node:crypto"
import { p256Point, p256PrivateKey, p256PublicKey } from "../../core/crypto/p256.ts"
import { type RandomBytes, type Secret, wiping } from "../../core/crypto/secret.ts"
import { refuse } from "../../core/refusal.ts"
import { createPrivateKey } from "../keys/private-key.ts"
import { openHpke, sealHpke } from "./hpke.ts"

/** A sealed secret: the ephemeral point, 65 bytes uncompressed, and ciphertext || tag(16). */
export type SealedMessage = { readonly encappedPublic: Uint8Array; readonly ciphertext: Uint8Array }

/** HPKE `info` of published clients. */
const INFO = Buffer.from("turnkey_hpke")

/** Seals to a P-256 key as published clients expect: HPKE with both points as associated data. */
export function sealMessage(recipient: KeyObject, plaintext: Secret, random: RandomBytes): SealedMessage {
  const { secret } = createPrivateKey("CURVE_P256", random)
  return wiping([secret], () => {
    const ephemeral = p256PrivateKey(secret)
    const encappedPublic = p256Point(ephemeral)
    const context = { info: INFO, aad: aadOf(encappedPublic, p256Point(recipient)) }
    return { encappedPublic, ciphertext: sealHpke({ ephemeral, recipient }, context, plaintext) }
  })
}

/** Opens a message that a client sealed to the point of the scalar; undefined for every fault. */
export function openMessage(recipient: Secret, message: SealedMessage): Secret | undefined {
  const { encappedPublic: enc, ciphertext } = message
  const privateKey = p256PrivateKey(recipient)
  const aad = aadOf(enc, p256Point(privateKey))
  return openHpke({ recipient: privateKey, enc }, { info: INFO, aad }, ciphertext)
}

/** Sender's point, then recipient's. Without lengths: points of other sizes do not open. */
function aadOf(encappedPublic: Uint8Array, recipient: Uint8Array): Uint8Array {
  return Buffer.concat([encappedPublic, recipient])
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
