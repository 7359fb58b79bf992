import { type CeremonyKind, Fault } from "../fault.ts"

/** A data item of the subset that authenticators write. */
export type CborValue = number | string | boolean | null | Uint8Array | CborValue[] | CborMap
export type CborMap = ReadonlyMap<number | string, CborValue>

/** Attestation statements nest three deep, compound ones five. Deeper items are refused. */
const MAX_DEPTH = 8

/**
 * Reads one data item of the CTAP2 canonical CBOR encoding form (CTAP 2.1 §8; RFC 8949 §4.2): integers and lengths in
 * their shortest form and below 2^32, text in UTF-8, definite lengths, maps with integers and text as keys and no
 * key twice. No tags, no floating point, no other simple values than false, true and null. One rule is not checked, the
 * order of keys: published authenticators break it, and an item has one reading in any order.
 * @returns the item and the offset behind it
 * @throws Fault malformed
 */
export function readCborItem(bytes: Uint8Array, offset = 0): { value: CborValue; end: number } {
  const reader = new Reader(bytes, offset)
  const value = reader.item(0)
  return { value, end: reader.offset }
}

/** Reads bytes that are one data item and nothing else. @throws Fault malformed */
export function readCbor(bytes: Uint8Array): CborValue {
  const { value, end } = readCborItem(bytes)
  if (end !== bytes.length) throw malformed("bytes follow the CBOR item")
  return value
}

export function isCborMap(value: CborValue | undefined): value is CborMap {
  return value instanceof Map
}

/** Major types: RFC 8949 §3.1. */
const UNSIGNED = 0
const NEGATIVE = 1
const BYTES = 2
const TEXT = 3
const ARRAY = 4
const MAP = 5
const SIMPLE = 7
const SIMPLE_VALUES: ReadonlyMap<number, boolean | null> = new Map([
  [20, false],
  [21, true],
  [22, null],
])

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

class Reader {
  offset: number
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes
    this.offset = offset
  }

  item(depth: number): CborValue {
    if (depth > MAX_DEPTH) throw malformed("the CBOR is nested too deeply")
    const initial = this.#take(1)[0] ?? 0
    const major = initial >> 5
    const detail = initial & 0x1f
    if (major === SIMPLE) return simpleValue(detail)
    const argument = this.#argument(detail)
    switch (major) {
      case UNSIGNED:
        return argument
      case NEGATIVE:
        return -1 - argument
      case BYTES:
        return this.#take(argument)
      case TEXT:
        return decodeText(this.#take(argument))
      case ARRAY:
        return this.#array(argument, depth)
      case MAP:
        return this.#map(argument, depth)
      default:
        throw malformed("CBOR tags are not used here")
    }
  }

  /** The integer of a data item's head, in its one shortest form. */
  #argument(detail: number): number {
    if (detail < 24) return detail
    if (detail === 24) return shortest(this.#uint(1), 24)
    if (detail === 25) return shortest(this.#uint(2), 2 ** 8)
    if (detail === 26) return shortest(this.#uint(4), 2 ** 16)
    if (detail === 27) throw malformed("the CBOR holds an integer or a length of 64 bits")
    throw malformed("the CBOR holds an indefinite or reserved length")
  }

  /** Every element takes at least one byte, so a false length ends with the bytes and cannot fill memory. */
  #array(length: number, depth: number): CborValue[] {
    const items: CborValue[] = []
    for (let index = 0; index < length; index++) items.push(this.item(depth + 1))
    return items
  }

  #map(length: number, depth: number): CborMap {
    const map = new Map<number | string, CborValue>()
    for (let index = 0; index < length; index++) {
      const key = this.item(depth + 1)
      if (typeof key !== "number" && typeof key !== "string")
        throw malformed("a key of a CBOR map is neither integer nor text")
      if (map.has(key)) throw malformed("a CBOR map holds a key twice")
      map.set(key, this.item(depth + 1))
    }
    return map
  }

  #uint(length: number): number {
    return this.#take(length).reduce((value, byte) => value * 2 ** 8 + byte, 0)
  }

  #take(length: number): Uint8Array {
    const end = this.offset + length
    if (end > this.#bytes.length) throw malformed("the CBOR ends too early")
    const taken = this.#bytes.subarray(this.offset, end)
    this.offset = end
    return taken
  }
}

function shortest(value: number, least: number): number {
  if (value < least) throw malformed("the CBOR holds an integer or a length that is not in its shortest form")
  return value
}

function simpleValue(detail: number): boolean | null {
  const value = SIMPLE_VALUES.get(detail)
  if (value === undefined) throw malformed("the CBOR holds floating point or an unknown simple value")
  return value
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw malformed("the CBOR holds text that is no UTF-8", cause)
  }
}

function malformed(message: string, cause?: unknown): Fault<CeremonyKind> {
  return new Fault("malformed", message, undefined, cause)
}
