import { createHmac, diffieHellman, generateKeyPairSync, type KeyObject } from "node:crypto"
import { openAesGcm, sealAesGcm } from "./aes-gcm.ts"
import { p256Point, p256PublicKey } from "./p256.ts"
import { type RandomBytes, type Secret, wipe } from "./secret.ts"

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

/**
 * Seals a plaintext to the encryption half of a key set, in the same form.
 *
 * @param receiverPoint uncompressed point, 65 bytes
 * @throws {Error} if it is no point of P-256
 */
export function sealEnvelope(receiverPoint: Uint8Array, plaintext: Secret, random: RandomBytes): Uint8Array {
  const receiver = p256PublicKey(receiverPoint)
  if (receiver === undefined) throw new Error("the receiver's key is no point of P-256")
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const ephemeral = p256Point(privateKey)
  const nonce = random(NONCE_LENGTH)
  const shared = diffieHellman({ privateKey, publicKey: receiver })
  const key = envelopeKey(shared, ephemeral, receiverPoint)
  const length = Buffer.alloc(4)
  try {
    const aad = Buffer.concat([withLength(ephemeral), withLength(receiverPoint)])
    const sealed = sealAesGcm({ key, nonce, aad }, plaintext)
    length.writeUInt32LE(sealed.length)
    return Buffer.concat([nonce, ephemeral, length, sealed])
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
