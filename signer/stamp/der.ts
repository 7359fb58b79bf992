import type { Curve } from "./scheme.ts"

// Orders of the groups: SEC 2 §2.4.2 (secp256r1), §2.4.1 (secp256k1), big-endian.
const orders: Readonly<Record<Exclude<Curve, "ED25519">, Buffer>> = {
  P256: Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex"),
  SECP256K1: Buffer.from("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", "hex"),
}

export type EcdsaCurve = keyof typeof orders

/**
 * Reads an ECDSA signature SEQUENCE(INTEGER r, INTEGER s) into r(32) || s(32), or undefined.
 *
 * It is DER but for one thing: r and s may carry any number of leading zeros, because published wallet
 * stampers keep them. Refused: long-form lengths (a signature needs none), bytes left over anywhere, negative
 * integers, r or s zero or not below the order. High s is accepted: WebCrypto makes it.
 */
export function readDerSignature(der: Uint8Array, curve: EcdsaCurve): Uint8Array | undefined {
  // 0x30 length(1) || 0x02 length(1) r || 0x02 length(1) s; below 128 bytes the length is one byte.
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || der[1] > 127) return undefined
  const rEnd = integerEnd(der, 2)
  const sEnd = integerEnd(der, rEnd)
  if (sEnd !== der.length) return undefined
  const signature = new Uint8Array(64)
  const isRead =
    putScalar(signature, 0, der, 4, rEnd, orders[curve]) &&
    putScalar(signature, 32, der, rEnd + 2, sEnd, orders[curve])
  return isRead ? signature : undefined
}

/** Writes r(32) || s(32) in its one DER form: what readDerSignature let pass may have had others. */
export function writeDerSignature(signature: Uint8Array): Uint8Array {
  const der = new Uint8Array(MAX_DER_LENGTH)
  const end = putInteger(der, putInteger(der, 2, signature, 0), signature, 32)
  der[0] = 0x30
  der[1] = end - 2
  return der.subarray(0, end)
}

/** 0x30 length || twice 0x02 length 0x00 scalar(32). */
const MAX_DER_LENGTH = 72

/** Writes the scalar at `from` as INTEGER at `at`: no leading zeros but one where the highest bit is set. */
function putInteger(der: Uint8Array, at: number, scalars: Uint8Array, from: number): number {
  let start = from
  while (start < from + 31 && scalars[start] === 0) start++
  const sign = ((scalars[start] ?? 0) & 0x80) === 0 ? 0 : 1
  const length = from + 32 - start
  der[at] = 0x02
  der[at + 1] = length + sign
  copyBytes(der, at + 2 + sign, scalars, start, length)
  return at + 2 + sign + length
}

/** Offset behind the INTEGER at `at`; beyond the end of `der` when there is none. */
function integerEnd(der: Uint8Array, at: number): number {
  const length = der[at + 1]
  if (der[at] !== 0x02 || length === undefined || length === 0) return Number.POSITIVE_INFINITY
  return at + 2 + length
}

/** Writes the positive integer from `from` to `to`, if it is below `order`, as 32 bytes; false when it is none. */
function putScalar(
  target: Uint8Array,
  offset: number,
  der: Uint8Array,
  from: number,
  to: number,
  order: Buffer,
): boolean {
  const isNegative = ((der[from] ?? 0) & 0x80) !== 0
  let digits = from
  while (digits < to && der[digits] === 0) digits++
  const length = to - digits
  if (isNegative || length < 1 || length > 32) return false
  copyBytes(target, offset + 32 - length, der, digits, length)
  return order.compare(target, offset, offset + 32) > 0
}

/** Byte by byte: for so few a view of them costs more than they do. */
function copyBytes(target: Uint8Array, at: number, source: Uint8Array, from: number, length: number): void {
  for (let index = 0; index < length; index++) target[at + index] = source[from + index] ?? 0
}
