import { createCipheriv, createDecipheriv } from "node:crypto"
import { Secret, wipe } from "./secret.ts"

const CIPHER = "aes-256-gcm"
const TAG_LENGTH = 16

/** `key`: 32 bytes, `nonce`: 12, never used with this key before; `aad`: associated data, authenticated only. */
export type AesGcmParameters = {
  readonly key: Uint8Array
  readonly nonce: Uint8Array
  readonly aad: Uint8Array
}

/** AES-256-GCM (SP 800-38D) with a tag of 128 bits: ciphertext || tag(16). */
export function sealAesGcm({ key, nonce, aad }: AesGcmParameters, plaintext: Secret): Uint8Array {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH }).setAAD(aad)
  const body = plaintext.use((bytes) => cipher.update(bytes))
  return Buffer.concat([body, cipher.final(), cipher.getAuthTag()])
}

/**
 * Opens a ciphertext.
 * @returns the plaintext, which the caller wipes; undefined if it does not open, for any reason
 */
export function openAesGcm(
  { key, nonce, aad }: AesGcmParameters,
  ciphertext: Uint8Array,
): Secret | undefined {
  if (ciphertext.length < TAG_LENGTH) return undefined
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH })
    .setAAD(aad)
    .setAuthTag(ciphertext.subarray(-TAG_LENGTH))
  const plaintext = decipher.update(ciphertext.subarray(0, -TAG_LENGTH))
  try {
    decipher.final() // throws if the tag does not verify
    return Secret.moveFrom(plaintext)
  } catch {
    wipe(plaintext)
    return undefined
  }
}
