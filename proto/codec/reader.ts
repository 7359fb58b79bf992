import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf"

/** Thrown at anything that the codecs of orders do not handle. It never leaves them: protobuf-es handles the whole message. */
export const UNUSUAL = new Error("left to protobuf-es")

/** Messages within messages that protobuf-es reads. */
const MAX_DEPTH = 100

/**
 * Reads the usual form of a message's fields. It throws UNUSUAL where protobuf-es has rules of its own: long varints, ends that do
 * not fit, text that is not UTF-8.
 */
export class WireReader {
  at = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** A varint below 2^28: a tag, a length or a small number. */
  uint(): number {
    let value = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte()
      value |= (byte & 127) << shift
      if (byte < 128) return value
    }
    throw UNUSUAL
  }

  /** A varint below 2^49 as a 64-bit integer: larger numbers and negative ones are unusual. */
  uint64(): bigint {
    let value = 0
    let unit = 1
    for (let count = 0; count < 7; count++) {
      const byte = this.#byte()
      value += (byte & 127) * unit
      if (byte < 128) return BigInt(value)
      unit *= 128
    }
    throw UNUSUAL
  }

  bool(): boolean {
    const byte = this.#byte()
    if (byte > 1) throw UNUSUAL
    return byte === 1
  }

  /** A view of the message's bytes. @param end of the message that has the field */
  bytes(end: number): Buffer {
    const until = this.until(end)
    const taken = this.#bytes.subarray(this.at, until)
    this.at = until
    return taken
  }

  /** Text of ASCII characters; other text is unusual. */
  string(end: number): string {
    const until = this.until(end)
    let bits = 0
    for (let at = this.at; at < until; at++) bits |= this.#bytes[at] ?? 0
    if (bits > 127) throw UNUSUAL
    const text = this.#bytes.toString("latin1", this.at, until)
    this.at = until
    return text
  }

  /** End of the value that a length begins. @param end of the message that has the field */
  until(end: number): number {
    const until = this.uint() + this.at
    if (until > end) throw UNUSUAL
    return until
  }

  /** A message that protobuf-es reads. @param depth of the message that has the field; 1 for the outermost */
  message<Desc extends DescMessage>(schema: Desc, end: number, depth: number): MessageShape<Desc> {
    return fromBinary(schema, this.bytes(end), { recursionLimit: MAX_DEPTH - depth })
  }

  #byte(): number {
    const byte = this.#bytes[this.at++]
    if (byte === undefined) throw UNUSUAL
    return byte
  }
}
