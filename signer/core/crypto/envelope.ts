import { createHmac, diffieHellman, type KeyObject } from "node:crypto"
import { openAesGcm } from "./aes-gcm.ts"
import { p256Point, p256PublicKey } from "./p256.ts"
import { type Secret, wipe } from "./secret.ts"

const NONCE_LENGTH = 12
const POINT_LENGTH = 65
const HEADER_LENGTH = NONCE_LENGTH + POINT_LENGTH + 4
const TAG_LENGTH = 16
const MESSAGE = "qos_encryption_hmac_message"

/**
 * Opens an envelope that was sealed to the encryption half of a key set, in the form published clients know from
 * QOS (Borsh): `nonce(12) || ephemeral point(65) || length(4, LE) || ciphertext || tag(16)`.
 *
 *     Z   = ECDH P-256 of ephemeral and receiver, the x coordinate
 *     key = HMAC-SHA512(key = ephemeral || receiver || Z, "qos_encryption_hmac_message"), first 32 bytes
 *     AES-256-GCM, associated data = ephemeral || 0x41 || receiver || 0x41
 *
 * @returns the plaintext, which the caller wipes; undefined if it does not open, for any reason
 */
export function openEnvelope(receiver: KeyObject, envelope: Uint8Array): Secret | undefined {
  const bytes = Buffer.from(envelope)
  if (bytes.length < HEADER_LENGTH + TAG_LENGTH) return undefined
  const nonce = bytes.subarray(0, NONCE_LENGTH)
  const ephemeral = bytes.subarray(NONCE_LENGTH, NONCE_LENGTH + POINT_LENGTH)
  const publicKey = p256PublicKey(ephemeral)
  const sealed = bytes.subarray(HEADER_LENGTH)
  if (publicKey === undefined || bytes.readUInt32LE(HEADER_LENGTH - 4) !== sealed.length) return undefined
  const receiverPoint = p256Point(receiver)
  const key = envelopeKey(diffieHellman({ privateKey: receiver, publicKey }), ephemeral, receiverPoint)
  try {
    const aad = Buffer.concat([withLength(ephemeral), withLength(receiverPoint)])
    return openAesGcm({ key, nonce, aad }, sealed)
  } finally {
    wipe(key)
  }
}

function envelopeKey(shared: Buffer, ephemeral: Uint8Array, receiver: Uint8Array): Uint8Array {
  const seed = Buffer.concat([ephemeral, receiver, shared])
  const digest = createHmac("sha512", seed).update(MESSAGE).digest()
  try {
    return Uint8Array.from(digest.subarray(0, 32))
  } finally {
    wipe(shared, seed, digest)
  }
}

/** `point || length(1)`. */
function withLength(point: Uint8Array): Uint8Array {
  return Buffer.concat([point, Buffer.from([POINT_LENGTH])])
}
