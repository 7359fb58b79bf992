import { Fault } from "../../fault.ts"
import { elementAt } from "../../crypto/element.ts"
import type { ByteSpan } from "../span.ts"

/** Reads bytes of a PSBT from the first to the last. Numbers are little-endian. Every read may throw a fault of a transaction. */
export class PsbtCursor {
  readonly #span: ByteSpan
  #at = 0

  constructor(span: ByteSpan) {
    this.#span = span
  }

  /** Place of the next byte in the PSBT. */
  get offset(): number {
    return this.#span.offset + this.#at
  }

  /** Bytes read so far. */
  get at(): number {
    return this.#at
  }

  take(length: number): Uint8Array {
    const start = this.#at
    if (length > this.#span.bytes.length - start)
      throw new Fault("transaction", "the transaction ends too early", this.offset)
    this.#at = start + length
    return this.#span.bytes.subarray(start, this.#at)
  }

  byte(): number {
    return elementAt(this.take(1), 0)
  }

  uint32(): number {
    return viewOf(this.take(4)).getUint32(0, true)
  }

  uint64(): bigint {
    return viewOf(this.take(8)).getBigUint64(0, true)
  }

  /**
   * A count or a length ("compact size"): one byte below fd; else fd, fe or ff and 2, 4 or 8 bytes. Only the shortest form
   * is accepted, and no number that is more than the bytes that are left.
   */
  count(): number {
    const start = this.offset
    const value = this.number()
    if (value <= this.#span.bytes.length - this.#at) return value
    throw new Fault("transaction", "a length is more than the bytes that are left", start)
  }

  /** A number in the form of a count, whatever follows it; above 2^53 - 1 it is that. */
  number(): number {
    const start = this.offset
    const first = this.byte()
    if (first < 0xfd) return first
    const bytes = first === 0xfd ? 2 : first === 0xfe ? 4 : 8
    const value = bytes === 8 ? this.uint64() : BigInt(bytes === 4 ? this.uint32() : this.#uint16())
    const least = bytes === 2 ? 0xfdn : 1n << BigInt(bytes * 4)
    if (value < least) throw new Fault("transaction", "a length is not in its shortest form", start)
    return value > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : Number(value)
  }

  /** A length, then as many bytes. */
  sized(): ByteSpan {
    const length = this.count()
    const offset = this.offset
    return { bytes: this.take(length), offset }
  }

  requireEnd(what: string): void {
    if (this.#at < this.#span.bytes.length)
      throw new Fault("transaction", `bytes follow ${what}`, this.offset)
  }

  #uint16(): number {
    return viewOf(this.take(2)).getUint16(0, true)
  }
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length)
}

/** A length in its shortest form. No PSBT is longer than 4 GiB. */
export function compactSize(length: number): Uint8Array {
  const bytes = new Uint8Array(length < 0xfd ? 1 : length <= 0xffff ? 3 : 5)
  const view = viewOf(bytes)
  if (bytes.length === 1) view.setUint8(0, length)
  else if (bytes.length === 3) view.setUint16(1, length, true)
  else view.setUint32(1, length, true)
  if (bytes.length > 1) view.setUint8(0, bytes.length === 3 ? 0xfd : 0xfe)
  return bytes
}

/** A length, then the bytes. */
export function sized(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([compactSize(bytes.length), bytes])
}
