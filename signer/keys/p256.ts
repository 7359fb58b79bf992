import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto"
import { elementAt } from "./element.ts"
import { ownBytes, type Secret, wipe } from "./secret.ts"

/** Order of the P-256 group (SP 800-186 §3.2.1.3), big-endian. */
const ORDER = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex")
/** The largest s that counts as low: half the order, rounded down. */
const HALF_ORDER = Buffer.from("7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8", "hex")

/** PKCS#8 (RFC 5958) around ECPrivateKey (RFC 5915) without its public key, up to the 32 bytes of the scalar. */
const PKCS8 = Buffer.from("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420", "hex")

/** Is it 32 bytes of 1 to n-1? Takes the same time for all values; OpenSSL would take 0 and n as well. */
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
  return Uint8Array.from(publicKey.export({ format: "der", type: "spki" }).subarray(-65))
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

/**
 * An ECDSA signature as OpenSSL writes it, SEQUENCE(INTEGER r, INTEGER s) in DER (RFC 3279 §2.2.3), as r(32) || s(32)
 * with s in the lower half of the group: the other half is as valid. OpenSSL could be asked for the 64 bytes, which
 * takes Node twice as long as the whole signature.
 *
 * @throws {RangeError} for other bytes: no signature of OpenSSL's.
 */
export function readP256Signature(der: Uint8Array): Uint8Array {
  const signature = ownBytes(64)
  const end = putInteger(putInteger(2, der, signature, 0), der, signature, 32)
  if (end !== der.length || der[0] !== 0x30 || der[1] !== der.length - 2) throw malformed()
  const s = signature.subarray(32)
  if (HALF_ORDER.compare(s) < 0) subtractFromOrder(s)
  return signature
}

/** Writes the INTEGER at `at` as 32 bytes; where the next thing begins. */
function putInteger(at: number, der: Uint8Array, signature: Uint8Array, to: number): number {
  const end = at + 2 + elementAt(der, at + 1)
  const start = der[at + 2] === 0 ? at + 3 : at + 2 // a zero stands before a first bit that is set
  if (der[at] !== 0x02 || end > der.length || end <= start || end - start > 32) throw malformed()
  signature.set(der.subarray(start, end), to + 32 - (end - start))
  return end
}

const malformed = () => new RangeError("these bytes are no signature")

/** Replaces `scalar`, below n, by n - scalar. */
function subtractFromOrder(scalar: Uint8Array): void {
  let borrow = 0
  for (let i = ORDER.length - 1; i >= 0; i--) {
    const difference = elementAt(ORDER, i) - elementAt(scalar, i) - borrow
    scalar[i] = difference & 0xff
    borrow = (difference >> 8) & 1
  }
}

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
