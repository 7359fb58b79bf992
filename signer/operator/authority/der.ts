// A writer for the DER that a certificate needs (X.690). Nothing here reads DER: certificates are read by OpenSSL.

type Bytes = Uint8Array

/** `tag(1) ‖ length ‖ content`, with the shortest form of the length (X.690 §10.1). */
export function der(tag: number, ...content: readonly Bytes[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0)
  const hex = length.toString(16)
  const digits = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex")
  const prefix = length < 0x80 ? [length] : [0x80 | digits.length, ...digits]
  return Buffer.concat([Buffer.from([tag, ...prefix]), ...content])
}

export const sequence = (...parts: readonly Bytes[]): Buffer => der(0x30, ...parts)
export const setOf = (part: Bytes): Buffer => der(0x31, part)
export const octetString = (bytes: Bytes): Buffer => der(0x04, bytes)
export const utf8String = (text: string): Buffer => der(0x0c, Buffer.from(text))
export const booleanTrue = (): Buffer => der(0x01, Buffer.from([0xff]))

/** An unsigned number, big-endian: without leading zero bytes, but for one before a set highest bit (X.690 §8.3). */
export function unsignedInteger(bytes: Bytes): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first))
  const isHigh = (digits[0] ?? 0) >= 0x80
  return der(0x02, isHigh ? Buffer.from([0]) : Buffer.of(), digits)
}

/** Bits of whole bytes, or with the last `unused` bits left out (X.690 §8.6). */
export function bitString(bytes: Bytes, unused = 0): Buffer {
  return der(0x03, Buffer.from([unused]), bytes)
}

/** `1.2.840.10045.4.3.2`: the first two numbers in one byte, the others in groups of seven bits (X.690 §8.19). */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split(".").map(Number)
  const groups = others.flatMap((number) => {
    const sevens = [number & 0x7f]
    for (let rest = number >>> 7; rest > 0; rest >>>= 7) sevens.unshift(0x80 | (rest & 0x7f))
    return sevens
  })
  return der(0x06, Buffer.from([first * 40 + second, ...groups]))
}

/** UTCTime until 2049, then GeneralizedTime (RFC 5280 §4.1.2.5). Whole seconds. */
export function time(timeMs: number): Buffer {
  const digits = new Date(timeMs).toISOString().replaceAll(/[-:T]|\.\d+/g, "")
  return digits < "2050" ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits))
}

/** A context-specific tag around another value. */
export const explicit = (number: number, part: Bytes): Buffer => der(0xa0 | number, part)

/** A context-specific tag in place of the value's own, for a value that is not constructed. */
export const implicit = (number: number, bytes: Bytes): Buffer => der(0x80 | number, bytes)
