import { createPrivateKey, createPublicKey, ECDH, type KeyObject } from "node:crypto"
import { elementAt } from "./element.ts"
import { ownBytes, type Secret, wipe } from "./secret.ts"

/** Order of the P-256 group (SP 800-186 §3.2.1.3), big-endian. */
const ORDER = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex")
const ORDER_NUMBER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
/** The largest s that counts as low: half the order, rounded down. */
const HALF_ORDER = (ORDER_NUMBER >> 1n).toString(16)

/** PKCS#8 (RFC 5958) around ECPrivateKey (RFC 5915) without its public key, up to the 32 bytes of the scalar. */
const PKCS8 = Buffer.from("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420", "hex")

/** True if the bytes are a scalar of 1 to n-1, in the same time for all values. OpenSSL would accept 0 and n too. */
export function isP256Scalar(bytes: Uint8Array): boolean {
  if (bytes.length !== ORDER.length) return false
  let any = 0
  for (const byte of bytes) any |= byte
  return any !== 0 && subtractOrder(bytes, ownBytes(ORDER.length)) === 1
}

/**
 * Replaces `scalar` by scalar + addend mod n, both below n. On bytes, because a BigInt cannot be wiped; no
 * branch depends on them.
 */
export function addP256Scalars(scalar: Uint8Array, addend: Uint8Array): void {
  let carry = 0
  for (let i = ORDER.length - 1; i >= 0; i--) {
    const sum = elementAt(scalar, i) + elementAt(addend, i) + carry
    scalar[i] = sum & 0xff
    carry = sum >> 8
  }
  const reduced = ownBytes(ORDER.length)
  const borrow = subtractOrder(scalar, reduced)
  const keep = -(borrow & (carry ^ 1)) & 0xff // 0xff: the sum was below n and stays
  for (let i = 0; i < ORDER.length; i++) {
    scalar[i] = (elementAt(scalar, i) & keep) | (elementAt(reduced, i) & ~keep)
  }
  wipe(reduced)
}

/** @throws {RangeError} when the bytes are no scalar of P-256. */
export function p256PrivateKey(scalar: Secret): KeyObject {
  return scalar.use((bytes) => {
    if (!isP256Scalar(bytes)) throw new RangeError("these bytes are no private key of P-256")
    const der = ownBytes(PKCS8.length + bytes.length)
    der.set(PKCS8)
    der.set(bytes, PKCS8.length)
    try {
      return createPrivateKey({ key: Buffer.from(der.buffer), format: "der", type: "pkcs8" })
    } finally {
      wipe(der)
    }
  })
}

/** `04 || x(32) || y(32)` (SEC 1 §2.3.3) of a private or public key. */
export function p256Point(key: KeyObject): Uint8Array {
  const publicKey = key.type === "private" ? createPublicKey(key) : key
  // Coordinates of a JWK have the field's length (RFC 7518 §6.2.1.2). OpenSSL writes DER in more than twice the time.
  const { x = "", y = "" } = publicKey.export({ format: "jwk" })
  return Uint8Array.of(4, ...Buffer.from(x, "base64url"), ...Buffer.from(y, "base64url"))
}

/** The public key of `04 || x(32) || y(32)`; undefined: these bytes are no point of the curve. */
export function p256PublicKey(point: Uint8Array): KeyObject | undefined {
  if (point.length !== 65 || point[0] !== 4) return undefined
  const coordinate = (from: number) => Buffer.from(point.subarray(from, from + 32)).toString("base64url")
  try {
    return createPublicKey({
      key: { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33) },
      format: "jwk",
    })
  } catch {
    return undefined
  }
}

/** `04 || x(32) || y(32)` of a compressed point, 33 bytes (SEC 1 §2.3.4); undefined: these bytes are none. */
export function uncompressP256(compressed: Uint8Array): Uint8Array | undefined {
  if (compressed.length !== 33) return undefined
  try {
    return converted(compressed, "uncompressed")
  } catch {
    return undefined
  }
}

/** The compressed form, 33 bytes, of `04 || x(32) || y(32)`. @throws {Error} if that is no point of the curve */
export function compressP256(point: Uint8Array): Uint8Array {
  return converted(point, "compressed")
}

function converted(point: Uint8Array, form: "compressed" | "uncompressed"): Uint8Array {
  return Uint8Array.from(ECDH.convertKey(point, "prime256v1", undefined, undefined, form) as Buffer)
}

/**
 * An ECDSA signature as OpenSSL writes it, SEQUENCE(INTEGER r, INTEGER s) in DER (RFC 3279 §2.2.3), as 128 digits, r and
 * s of 64 each, with s in the lower half of the group, since both halves are valid. For r || s alone Node takes twice as
 * long as for the whole signature.
 * @throws {RangeError} for any other bytes
 */
export function readP256Signature(der: Buffer): string {
  const rEnd = 4 + elementAt(der, 3)
  const sEnd = rEnd + 2 + elementAt(der, rEnd + 1)
  const isSequence = der[0] === 0x30 && der[1] === der.length - 2 && sEnd === der.length
  if (!isSequence || der[2] !== 0x02 || der[rEnd] !== 0x02) throw malformed()
  const digits = der.toString("hex")
  return scalarDigits(digits.slice(8, 2 * rEnd)) + lower(scalarDigits(digits.slice(2 * rEnd + 4)))
}

/** The 64 digits of an INTEGER below 2^256. DER has a leading zero byte only before a set highest bit. */
function scalarDigits(integer: string): string {
  if (integer.length === 66 && integer.startsWith("00")) return integer.slice(2)
  if (integer.length === 0 || integer.length > 64) throw malformed()
  return integer.padStart(64, "0")
}

/** s is public: it may be a BigInt. */
function lower(s: string): string {
  return s > HALF_ORDER ? (ORDER_NUMBER - BigInt(`0x${s}`)).toString(16).padStart(64, "0") : s
}

const malformed = () => new RangeError("these bytes are no signature")

/** Writes bytes - n to `out`, returns the borrow: 1 when bytes < n. */
function subtractOrder(bytes: Uint8Array, out: Uint8Array): number {
  let borrow = 0
  for (let i = ORDER.length - 1; i >= 0; i--) {
    const difference = elementAt(bytes, i) - elementAt(ORDER, i) - borrow
    out[i] = difference & 0xff
    borrow = (difference >> 8) & 1
  }
  return borrow
}
