import { Fault } from "../../fault.ts"
import { elementAt } from "../../crypto/element.ts"
import type { ByteSpan } from "../span.ts"

// Protocol Buffers in the one encoding that all writers make of a message ("Encoding", "Are the fields in order?"). Fields
// are in the order of their numbers, each once unless it is repeated. Numbers have their shortest form, and no field has its
// default value. So different bytes are different messages.

/** A field as it is written: a number of up to 64 bits, or the bytes of a string or a message. */
export type Raw = { readonly value: bigint; readonly offset: number } | ByteSpan

/** A field's place in the transaction. `offset`: of the message that has it. */
export type TronPlace = { readonly name: string; readonly offset: number }

export type TronField<T> = {
  readonly number: number
  readonly wire: typeof VARINT | typeof LENGTH
  /** Largest number of values of a repeated field. */
  readonly maxCount?: number
  /** @param values as many as are written; at most one, or `maxCount` @throws Fault transaction */
  read(values: readonly Raw[], place: TronPlace): T
}

export type TronShape = Readonly<Record<string, TronField<unknown>>>
export type TronMessage<S extends TronShape> = { readonly [Name in keyof S]: ReturnType<S[Name]["read"]> }

export const VARINT = 0
export const LENGTH = 2
/** Digits of seven bits in a number of 64 bits. */
const MAX_VARINT_BYTES = 10
const MAX_UINT64 = 2n ** 64n - 1n

/** Reads a message, to its last byte. `name`: its place in the transaction, for faults. @throws Fault transaction */
export function readMessage<S extends TronShape>(span: ByteSpan, shape: S, name: string): TronMessage<S> {
  const fields = new Map(Object.entries(shape).map(([key, field]) => [field.number, { key, field }]))
  const values = new Map<string, Raw[]>()
  const reader = new Reader(span)
  let last = 0
  while (!reader.isAtEnd) {
    const start = reader.offset
    const tag = reader.varint()
    const number = Number(tag >> 3n)
    const found = fields.get(number)
    if (found === undefined)
      throw new Fault("transaction", `field ${number} of ${name} is not one that is signed`, start)
    const { key, field } = found
    if (Number(tag & 7n) !== field.wire)
      throw new Fault("transaction", `${name}.${key} is not of its type`, start)
    if (number < last)
      throw new Fault("transaction", `${name}.${key} is not in the order of the fields`, start)
    if (number === last && field.maxCount === undefined)
      throw new Fault("transaction", `${name}.${key} occurs twice`, start)
    const raw = field.wire === VARINT ? { value: reader.varint(), offset: start } : reader.span()
    if (field.maxCount === undefined && isDefault(raw))
      throw new Fault("transaction", `${name}.${key} has its default value, which is left out`, start)
    const others = values.get(key) ?? []
    if (others.length === field.maxCount)
      throw new Fault("transaction", `${name}.${key} occurs too often; nodes take ${field.maxCount}`, start)
    others.push(raw)
    values.set(key, others)
    last = number
  }
  const read = Object.entries(shape).map(([key, field]) => [
    key,
    field.read(values.get(key) ?? [], { name: `${name}.${key}`, offset: span.offset }),
  ])
  return Object.fromEntries(read) as TronMessage<S>
}

function isDefault(raw: Raw): boolean {
  return "value" in raw ? raw.value === 0n : raw.bytes.length === 0
}

class Reader {
  readonly #span: ByteSpan
  #at = 0

  constructor(span: ByteSpan) {
    this.#span = span
  }

  get offset(): number {
    return this.#span.offset + this.#at
  }

  get isAtEnd(): boolean {
    return this.#at === this.#span.bytes.length
  }

  span(): ByteSpan {
    const start = this.offset
    const length = this.varint()
    const from = this.#at
    if (length > BigInt(this.#span.bytes.length - from))
      throw new Fault("transaction", "a field is longer than its message", start)
    const offset = this.offset
    this.#at += Number(length)
    return { bytes: this.#span.bytes.subarray(from, this.#at), offset }
  }

  varint(): bigint {
    const start = this.offset
    let value = 0n
    for (let index = 0; index < MAX_VARINT_BYTES; index++) {
      if (this.isAtEnd) throw new Fault("transaction", "the transaction ends too early", start)
      const byte = elementAt(this.#span.bytes, this.#at)
      this.#at += 1
      value |= BigInt(byte & 0x7f) << BigInt(7 * index)
      if (byte >= 0x80) continue
      if (byte === 0 && index > 0) break
      if (value <= MAX_UINT64) return value
    }
    throw new Fault("transaction", "a number is not in its shortest form, or above 64 bits", start)
  }
}
