// Seals a client secret to the fetcher of this browser's pins, docs/formats/statement.md. The API tier only carries it.
import { hmac } from "@noble/hashes/hmac.js"
import { sha512 } from "@noble/hashes/sha2.js"
import { bindSecret } from "../../../signer/core/fetch-orders/bound-secret.ts"
import { bytesOf, hex } from "./encoding.ts"

const CURVE = { name: "ECDH", namedCurve: "P-256" } as const
const MESSAGE = bytesOf("qos_encryption_hmac_message")
const NONCE_BYTES = 12
const KEY_BYTES = 32
/** Length of an uncompressed point in hexadecimal digits: the encryption half of a key set. */
const POINT_DIGITS = 130
/** Length of a point as the associated data states it. */
const LENGTH = Uint8Array.of(0x41)

/**
 * Hexadecimal digits of `nonce(12) || ephemeral point(65) || length(4, LE) || ciphertext || tag(16)`, as
 * `signer/core/crypto/envelope.ts` opens them.
 *
 * @throws {Error} if the pins name no fetcher
 */
export async function sealClientSecret(
  fetcherPublicKey: string,
  organizationId: string,
  secret: string,
): Promise<string> {
  if (fetcherPublicKey.length < POINT_DIGITS)
    throw new Error("The pins of this browser name no fetcher, so nothing can be sealed to it.")
  const receiver = Uint8Array.from(Buffer.from(fetcherPublicKey.slice(0, POINT_DIGITS), "hex"))
  const pair = await crypto.subtle.generateKey(CURVE, false, ["deriveBits"])
  const ephemeral = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey))
  const peer = await crypto.subtle.importKey("raw", receiver, CURVE, false, [])
  const shared = new Uint8Array(
    await crypto.subtle.deriveBits({ name: "ECDH", public: peer }, pair.privateKey, 256),
  )
  const bytes = hmac(sha512, join(ephemeral, receiver, shared), MESSAGE).slice(0, KEY_BYTES)
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"])
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const additionalData = join(ephemeral, LENGTH, receiver, LENGTH)
  const text = Uint8Array.from(bindSecret("client-secret", organizationId, bytesOf(secret)))
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce, additionalData }, key, text),
  )
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, sealed.length, true)
  return hex(join(nonce, ephemeral, length, sealed))
}

function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]))
}
