import { Fault } from "../../fault.ts"
import { tronAddressOf, TRON_VERSION } from "../../address/tron.ts"
import { counted } from "../../counted.ts"
import { elementAt } from "../../crypto/element.ts"
import type { ByteSpan } from "../span.ts"
import {
  type TronField,
  LENGTH,
  type TronMessage,
  type TronPlace,
  type Raw,
  readMessage,
  type TronShape,
  VARINT,
} from "./wire.ts"

// Types of the fields of Tron transactions. A field that is left out has its default value, except where it is required.

const MAX_INT64 = 2n ** 63n - 1n
const MAX_INT32 = 2n ** 31n - 1n
const ADDRESS_BYTES = 21

/** `int64` without negative numbers: no amount, time or weight is below 0. */
export const int64 = (number: number): TronField<bigint> => integer(number, MAX_INT64)
export const int32 = (number: number): TronField<bigint> => integer(number, MAX_INT32)

function integer(number: number, max: bigint): TronField<bigint> {
  return {
    number,
    wire: VARINT,
    read([raw], { name }) {
      if (raw === undefined || !("value" in raw)) return 0n
      if (raw.value <= max) return raw.value
      throw new Fault("transaction", `${name} is negative or above ${max}`, raw.offset)
    },
  }
}

export const bool = (number: number): TronField<boolean> => {
  const flag = integer(number, 1n)
  return { ...flag, read: (values, place) => flag.read(values, place) === 1n }
}

/** One of the names of an `enum`, by number; other values are refused. */
export function oneOf<const Names extends readonly string[]>(
  number: number,
  names: Names,
): TronField<Names[number]> {
  return {
    ...integer(number, MAX_INT32),
    read([raw], { name }) {
      const value = raw !== undefined && "value" in raw ? raw.value : 0n
      const found = names[Number(value)]
      if (found !== undefined) return found
      throw new Fault(
        "transaction",
        `${name} is ${value}; it must be below ${names.length}`,
        raw?.offset ?? 0,
      )
    },
  }
}

/** A field of bytes; `span` is empty where the field is left out. */
function bytesField<T>(number: number, read: (span: ByteSpan, name: string) => T): TronField<T> {
  return { number, wire: LENGTH, read: ([raw], place) => read(spanOf(raw, place), place.name) }
}

/** Lower-case hexadecimal without 0x. */
export const hex = (number: number, length?: number): TronField<string> =>
  bytesField(number, ({ bytes, offset }, name) => {
    if (length !== undefined && bytes.length !== length)
      throw new Fault(
        "transaction",
        `${name} has ${counted(bytes.length, "byte")} and must have ${length}`,
        offset,
      )
    return Buffer.from(bytes).toString("hex")
  })

export const text = (number: number): TronField<string> =>
  bytesField(number, ({ bytes, offset }, name) => {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new Fault("transaction", `${name} is not UTF-8`, offset)
    }
  })

/** An address as text; required. */
export const address = (number: number): TronField<string> =>
  bytesField(number, ({ bytes, offset }, name) => {
    if (bytes.length === ADDRESS_BYTES && elementAt(bytes, 0) === TRON_VERSION)
      return tronAddressOf(bytes.subarray(1))
    throw new Fault("transaction", `${name} must have ${ADDRESS_BYTES} bytes and begin with 41`, offset)
  })

/** As `address`; undefined: left out. */
export const optionalAddress = (number: number): TronField<string | undefined> => {
  const required = address(number)
  return {
    ...required,
    read: (values, place) => (values.length === 0 ? undefined : required.read(values, place)),
  }
}

/** A message whose shape depends on another field. */
export const span = (number: number): TronField<ByteSpan> => bytesField(number, (read) => read)

/** A message; required. */
export const message = <S extends TronShape>(number: number, shape: S): TronField<TronMessage<S>> => ({
  number,
  wire: LENGTH,
  read([raw], place) {
    if (raw === undefined) throw new Fault("transaction", `${place.name} is missing`, place.offset)
    return readMessage(spanOf(raw, place), shape, place.name)
  },
})

export function optionalMessage<S extends TronShape>(
  number: number,
  shape: S,
): TronField<TronMessage<S> | undefined> {
  const required = message(number, shape)
  return {
    ...required,
    read: (values, place) => (values.length === 0 ? undefined : required.read(values, place)),
  }
}

/** A repeated field of messages, at most `maxCount` of them. */
export const messages = <S extends TronShape>(
  number: number,
  shape: S,
  maxCount: number,
): TronField<readonly TronMessage<S>[]> => ({
  number,
  wire: LENGTH,
  maxCount,
  read: (values, place) =>
    values.map((raw, index) => readMessage(spanOf(raw, place), shape, `${place.name}[${index}]`)),
})

function spanOf(raw: Raw | undefined, { offset }: TronPlace): ByteSpan {
  return raw !== undefined && "bytes" in raw ? raw : { bytes: new Uint8Array(0), offset }
}
