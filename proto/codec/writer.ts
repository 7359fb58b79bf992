import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import { UNUSUAL } from "./reader.ts"

/** Longer messages are left to protobuf-es: copying them costs more than writing their fields. */
const MAX_BYTES = 128 * 1024
/** Longest text that is written character by character, which is faster for short ones. */
const SHORT_TEXT = 40
/** Most bytes of a tag, and of a varint. */
const MAX_VARINT_BYTES = 10
/** Larger 64-bit integers are unusual: this one's varint is exact in a double. */
const MAX_UINT64 = (1n << 49n) - 1n
const MAX_UINT32 = 0xffff_ffff
const MAX_ENUM = 0x7fff_ffff

/** Writes the fields of one message after another into one buffer. A field that is unset or has its default is left out. */
export class WireWriter {
  readonly #buffer = Buffer.allocUnsafeSlow(MAX_BYTES)
  #at = 0

  start(): void {
    this.#at = 0
  }

  /** A copy of the bytes since `start`. */
  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#at))
  }

  uint32(tag: number, value: number | undefined): void {
    this.#number(tag, value, MAX_UINT32)
  }

  enum(tag: number, value: number | undefined): void {
    this.#number(tag, value, MAX_ENUM)
  }

  bool(tag: number, value: boolean | undefined): void {
    if (value === undefined) return
    if (typeof value !== "boolean") throw UNUSUAL
    if (!value) return
    this.#reserve(2 * MAX_VARINT_BYTES)
    this.#varint(tag)
    this.#varint(1)
  }

  uint64(tag: number, value: bigint | undefined): void {
    if (value === undefined || value === 0n) return
    if (typeof value !== "bigint" || value < 0n || value > MAX_UINT64) throw UNUSUAL
    this.#reserve(2 * MAX_VARINT_BYTES)
    this.#varint(tag)
    this.#varint(Number(value))
  }

  bytes(tag: number, value: Uint8Array | undefined): void {
    if (value !== undefined && value.length !== 0) this.#bytes(tag, value)
  }

  bytesList(tag: number, values: readonly Uint8Array[] | undefined): void {
    if (values !== undefined) for (const value of values) this.#bytes(tag, value)
  }

  string(tag: number, value: string | undefined): void {
    if (value !== undefined && value !== "") this.#string(tag, value)
  }

  stringList(tag: number, values: readonly string[] | undefined): void {
    if (values !== undefined) for (const value of values) this.#string(tag, value)
  }

  /** Begins a message's field, with one byte for its length. `close` takes the place that it returns. */
  open(tag: number): number {
    this.#reserve(2 * MAX_VARINT_BYTES)
    this.#varint(tag)
    return this.#at++
  }

  close(place: number): void {
    const begin = place + 1
    const length = this.#at - begin
    if (length < 128) {
      this.#buffer[place] = length
      return
    }
    this.#reserve(MAX_VARINT_BYTES)
    this.#shift(begin, place + sizeOf(length), length)
    this.#at = place
    this.#varint(length)
    this.#at += length
  }

  /** A message that protobuf-es writes. */
  message<Desc extends DescMessage>(tag: number, schema: Desc, value: MessageInitShape<Desc>): void {
    if (!(value instanceof Object)) throw UNUSUAL
    this.#bytes(tag, toBinary(schema, create(schema, value)))
  }

  #number(tag: number, value: number | undefined, max: number): void {
    if (value === undefined || value === 0) return
    if (!Number.isInteger(value) || value < 0 || value > max) throw UNUSUAL
    this.#reserve(2 * MAX_VARINT_BYTES)
    this.#varint(tag)
    this.#varint(value)
  }

  #bytes(tag: number, value: Uint8Array): void {
    if (!(value instanceof Uint8Array)) throw UNUSUAL
    this.#reserve(2 * MAX_VARINT_BYTES + value.length)
    this.#varint(tag)
    this.#varint(value.length)
    this.#buffer.set(value, this.#at)
    this.#at += value.length
  }

  #string(tag: number, value: string): void {
    if (typeof value !== "string") throw UNUSUAL
    const { length } = value
    this.#reserve(2 * MAX_VARINT_BYTES + 3 * length)
    this.#varint(tag)
    if (length > SHORT_TEXT || !this.#ascii(value)) this.#utf8(value)
  }

  /** Writes text of ASCII characters with its length. False, and nothing is written: it has others. */
  #ascii(value: string): boolean {
    const { length } = value
    let at = this.#at + 1
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index)
      if (code > 127) return false
      this.#buffer[at++] = code
    }
    this.#buffer[this.#at] = length
    this.#at = at
    return true
  }

  /** The length is written for ASCII characters, and corrected if there are others. */
  #utf8(value: string): void {
    const begin = this.#at + sizeOf(value.length)
    const written = this.#buffer.write(value, begin)
    const moved = this.#at + sizeOf(written)
    if (moved !== begin) this.#shift(begin, moved, written)
    this.#varint(written)
    this.#at += written
  }

  #shift(from: number, to: number, length: number): void {
    this.#buffer.copyWithin(to, from, from + length)
  }

  #varint(value: number): void {
    let rest = value
    while (rest > 127) {
      this.#buffer[this.#at++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#buffer[this.#at++] = rest
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes > MAX_BYTES) throw UNUSUAL
  }
}

/** Bytes of a varint below 2^28. */
function sizeOf(value: number): number {
  if (value < 1 << 7) return 1
  if (value < 1 << 14) return 2
  return value < 1 << 21 ? 3 : 4
}
