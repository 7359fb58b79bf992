import type { StampCurve } from "./keys.ts"

// Orders of the groups: SEC 2 §2.4.2 (secp256r1), §2.4.1 (secp256k1), big-endian.
const orders: Readonly<Record<Exclude<StampCurve, "ED25519">, Buffer>> = {
  P256: Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex"),
  SECP256K1: Buffer.from("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", "hex"),
}

export type EcdsaCurve = keyof typeof orders

/**
 * Reads an ECDSA signature SEQUENCE(INTEGER r, INTEGER s) into r(32) || s(32), or undefined.
 *
 * The form is DER with one exception: r and s may have any number of leading zeros, because published wallet stampers
 * write them. Refused: long-form lengths (a signature needs none), unused bytes, negative integers, r or s
 * zero or not below the order. High s is accepted: WebCrypto writes it.
 */
export function readDerSignature(der: Uint8Array, curve: EcdsaCurve): Uint8Array | undefined {
  const rEnd = endOfR(der, curve)
  return rEnd === undefined ? undefined : readScalars(der, rEnd)
}

export function isDerSignature(der: Uint8Array, curve: EcdsaCurve): boolean {
  return endOfR(der, curve) !== undefined
}

/** The signature in its one DER form, usually the input itself; undefined as in readDerSignature. */
export function strictDerSignature(der: Uint8Array, curve: EcdsaCurve): Uint8Array | undefined {
  const rEnd = endOfR(der, curve)
  if (rEnd === undefined) return undefined
  const isStrict = isShortest(der, R_AT) && isShortest(der, rEnd + HEADER_BYTES)
  return isStrict ? der : writeDerSignature(readScalars(der, rEnd))
}

/** Writes r(32) || s(32) in its one DER form. */
export function writeDerSignature(signature: Uint8Array): Uint8Array {
  const der = new Uint8Array(MAX_DER_LENGTH)
  const end = putInteger(der, putInteger(der, 2, signature, 0), signature, 32)
  der[0] = 0x30
  der[1] = end - 2
  return der.subarray(0, end)
}

/** 0x02 length(1), before the bytes of an integer. */
const HEADER_BYTES = 2
/** Offset of the bytes of r. */
const R_AT = 2 + HEADER_BYTES

/** Offset behind r, which s follows to the end; undefined when this is no signature of the curve. */
function endOfR(der: Uint8Array, curve: EcdsaCurve): number | undefined {
  // 0x30 length(1) || 0x02 length(1) r || 0x02 length(1) s; below 128 bytes the length is one byte.
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || der[1] > 127) return undefined
  const rEnd = integerEnd(der, 2)
  if (integerEnd(der, rEnd) !== der.length) return undefined
  const order = orders[curve]
  return isScalar(der, R_AT, rEnd, order) && isScalar(der, rEnd + HEADER_BYTES, der.length, order)
    ? rEnd
    : undefined
}

function readScalars(der: Uint8Array, rEnd: number): Uint8Array {
  const signature = new Uint8Array(64)
  putScalar(signature, 0, der, R_AT, rEnd)
  putScalar(signature, 32, der, rEnd + HEADER_BYTES, der.length)
  return signature
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
  if (der[at] !== 0x02) return Number.POSITIVE_INFINITY
  return at + 2 + (der[at + 1] ?? Number.POSITIVE_INFINITY)
}

/** True if the integer from `from` to `to` is positive and below `order`. */
function isScalar(der: Uint8Array, from: number, to: number, order: Buffer): boolean {
  const isNegative = ((der[from] ?? 0) & 0x80) !== 0
  const digits = firstDigit(der, from, to)
  const length = to - digits
  if (isNegative || length < 1 || length > 32) return false
  return length < 32 || order.compare(der, digits, to) > 0
}

function putScalar(target: Uint8Array, offset: number, der: Uint8Array, from: number, to: number): void {
  const digits = firstDigit(der, from, to)
  const length = to - digits
  copyBytes(target, offset + 32 - length, der, digits, length)
}

/** True if the integer at `from`, which is not zero, has no leading zero except one that keeps it positive. */
function isShortest(der: Uint8Array, from: number): boolean {
  return der[from] !== 0 || ((der[from + 1] ?? 0) & 0x80) !== 0
}

function firstDigit(der: Uint8Array, from: number, to: number): number {
  let digits = from
  while (digits < to && der[digits] === 0) digits++
  return digits
}

/** Byte by byte: for so few bytes a view costs more. */
function copyBytes(target: Uint8Array, at: number, source: Uint8Array, from: number, length: number): void {
  for (let index = 0; index < length; index++) target[at + index] = source[from + index] ?? 0
}
