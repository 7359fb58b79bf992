import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto"
import { ownBytes, type Secret, wipe } from "../../core/crypto/secret.ts"

/** A UUID, or `organizations/…/apiKeys/…` in older keys. */
const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9/_-]{0,255}$/

export function isCoinbaseKeyId(text: string): boolean {
  return KEY_ID.test(text)
}

/**
 * Reads a private key as Coinbase issues it: a P-256 key in PEM, or base64 of an Ed25519 seed(32) || public key(32).
 * Undefined: the text is neither.
 */
export function readCoinbaseKey(text: Secret): KeyObject | undefined {
  return text.use((bytes) => (bytes[0] === 0x2d ? readPem(bytes) : readEd25519(bytes)))
}

function readPem(bytes: Uint8Array): KeyObject | undefined {
  const copy = Buffer.from(ownBytes(bytes.length).buffer)
  copy.set(bytes)
  try {
    const key = createPrivateKey({ key: copy, format: "pem" })
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined
  } catch {
    return undefined
  } finally {
    wipe(copy)
  }
}

/** PKCS#8 of Ed25519 (RFC 8410), up to the 32 bytes of the seed. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")

function readEd25519(text: Uint8Array): KeyObject | undefined {
  const bytes = decodeBase64(text)
  if (bytes?.length !== 64) return undefined
  const der = ownBytes(PKCS8.length + 32)
  der.set(PKCS8)
  der.set(bytes.subarray(0, 32), PKCS8.length)
  try {
    const key = createPrivateKey({ key: Buffer.from(der.buffer), format: "der", type: "pkcs8" })
    const spki = createPublicKey(key).export({ format: "der", type: "spki" })
    return spki.subarray(-32).equals(bytes.subarray(32)) ? key : undefined
  } finally {
    wipe(der, bytes)
  }
}

const ALPHABET = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
const PADDING = 0x3d

/** Base64 (RFC 4648 §4) with padding, from bytes: a string of a secret could not be wiped. Undefined: it is none. */
function decodeBase64(text: Uint8Array): Uint8Array | undefined {
  const end = text.indexOf(PADDING)
  const digits = end === -1 ? text : text.subarray(0, end)
  const isPadded = text.length % 4 === 0 && text.subarray(digits.length).every((byte) => byte === PADDING)
  const out = ownBytes(Math.floor((digits.length * 6) / 8))
  let [bits, count, at] = [0, 0, 0]
  for (const digit of digits) {
    const value = ALPHABET.indexOf(digit)
    if (value === -1) {
      wipe(out)
      return undefined
    }
    bits = ((bits << 6) | value) & 0xffff
    count += 6
    if (count >= 8) {
      count -= 8
      out[at++] = (bits >> count) & 0xff
    }
  }
  return isPadded ? out : undefined
}
