import { Fault } from "../../fault.ts"
import { elementAt } from "../../crypto/element.ts"

// RLP (Ethereum Yellow Paper, appendix B). The first byte of an item has its kind and length:
//
//     00..7f   the byte itself
//     80..b7   string of 0..55 bytes
//     b8..bf   string; 1..8 bytes of length follow, big-endian
//     c0..f7   list of 0..55 bytes
//     f8..ff   list; 1..8 bytes of length follow, big-endian

export type RlpString = { readonly offset: number; readonly bytes: Uint8Array }
export type RlpList = { readonly offset: number; readonly items: readonly RlpItem[] }
export type RlpItem = RlpString | RlpList

const STRING = 0x80
const LIST = 0xc0
/** Lengths up to this one are in the first byte. */
const MAX_SHORT = 55
/** Lists within lists: an access list has entries, which have lists of keys, inside the transaction. */
const MAX_DEPTH = 4
/** Items of one transaction. A block's gas does not pay for as many storage keys. */
const MAX_ITEMS = 65_536

/**
 * Reads the one item that begins at an offset and ends with the bytes. It accepts the canonical encoding only, so that
 * different bytes are different items.
 * @throws Fault transaction
 */
export function readRlp(bytes: Uint8Array, offset: number): RlpItem {
  const reader = new Reader(bytes)
  const { item, end } = reader.item(offset, bytes.length, 0)
  if (end !== bytes.length) throw new Fault("transaction", "bytes follow the transaction", end)
  return item
}

class Reader {
  readonly #bytes: Uint8Array
  #count = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The item at `start`, which must end at `limit` or before. */
  item(start: number, limit: number, depth: number): { item: RlpItem; end: number } {
    this.#count += 1
    if (this.#count > MAX_ITEMS)
      throw new Fault("transaction", `the transaction has more than ${MAX_ITEMS} items`, start)
    const { isList, from, end } = this.#header(start, limit)
    if (!isList) return { item: { offset: start, bytes: this.#bytes.subarray(from, end) }, end }
    if (depth === MAX_DEPTH) throw new Fault("transaction", "lists are nested too deeply", start)
    const items: RlpItem[] = []
    for (let next = from; next < end; ) {
      const read = this.item(next, end, depth + 1)
      items.push(read.item)
      next = read.end
    }
    return { item: { offset: start, items }, end }
  }

  #header(start: number, limit: number): { isList: boolean; from: number; end: number } {
    if (start >= limit) throw new Fault("transaction", "the transaction ends too early", start)
    const first = elementAt(this.#bytes, start)
    if (first < STRING) return { isList: false, from: start, end: start + 1 }
    const isList = first >= LIST
    const short = first - (isList ? LIST : STRING)
    const lengthBytes = Math.max(0, short - MAX_SHORT)
    const from = start + 1 + lengthBytes
    const length = lengthBytes === 0 ? short : this.#longLength(start + 1, from, limit)
    const end = from + length
    if (end > limit) throw new Fault("transaction", "an item is longer than its list", start)
    if (!isList && length === 1 && elementAt(this.#bytes, from) < STRING)
      throw new Fault("transaction", "a single byte below 80 stands for itself", start)
    return { isList, from, end }
  }

  #longLength(from: number, end: number, limit: number): number {
    if (end > limit) throw new Fault("transaction", "the transaction ends too early", from)
    const digits = this.#bytes.subarray(from, end)
    // Six bytes are exact in a number, and no transaction is as long.
    if (elementAt(digits, 0) === 0 || digits.length > 6)
      throw new Fault("transaction", "a length is not in its shortest form, or too long", from)
    const length = digits.reduce((sum, digit) => sum * 256 + digit, 0)
    if (length <= MAX_SHORT) throw new Fault("transaction", "a length is not in its shortest form", from)
    return length
  }
}

/** Big-endian without leading zeros; 0 is the empty string. */
export function rlpInteger(value: bigint): Uint8Array {
  if (value === 0n) return rlpString(new Uint8Array(0))
  const digits = value.toString(16)
  return rlpString(Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex"))
}

export function rlpString(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 1 && elementAt(bytes, 0) < STRING) return bytes
  return Buffer.concat([rlpHeader(STRING, bytes.length), bytes])
}

/** A list of items that are encoded already. */
export function rlpList(...items: readonly Uint8Array[]): Uint8Array {
  const length = items.reduce((sum, item) => sum + item.length, 0)
  return Buffer.concat([rlpHeader(LIST, length), ...items])
}

function rlpHeader(kind: number, length: number): Uint8Array {
  if (length <= MAX_SHORT) return Uint8Array.of(kind + length)
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex")
  return Uint8Array.of(kind + MAX_SHORT + bytes.length, ...bytes)
}
