import { Fault } from "../../fault.ts"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { ethereumAddressBytes } from "../../address/ethereum.ts"
import { readInteger } from "../json.ts"
import { fixedLength, integerBits } from "./types.ts"

/** A value of an atomic type, `string` or `bytes`. Addresses and bytes are bytes; integers of any size are bigints. */
export type ElementaryValue = boolean | bigint | string | Uint8Array

/** Members by name, in the order of the struct's type: those that it declares, and no others. */
export type StructValue = ReadonlyMap<string, TypedValue>

/** A value of typed data. It is the same for every spelling in JSON that has the same digest. */
export type TypedValue = ElementaryValue | readonly TypedValue[] | StructValue

export function isStruct(value: TypedValue): value is StructValue {
  return value instanceof Map
}

export function isArray(value: TypedValue): value is readonly TypedValue[] {
  return Array.isArray(value)
}

const WORD = 32
const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/

/**
 * Reads a value of an atomic type, `string` or `bytes`. Nothing is converted: a bool is true or false, bytes are 0x and
 * pairs of hex digits. A value that does not fit its type is a fault. `at`: path in the JSON.
 * @throws {Fault payload}
 */
export function readElementary(type: string, json: unknown, at: string): ElementaryValue {
  switch (type) {
    case "string":
      if (typeof json !== "string" || !json.isWellFormed()) throw misfit(at, type)
      return json
    case "bytes":
      return hexBytes(type, json, at)
    case "bool":
      if (typeof json !== "boolean") throw misfit(at, type)
      return json
    case "address":
      return addressBytes(json, at)
    default:
      return type.startsWith("bytes") ? fixedBytes(type, json, at) : integer(type, json, at)
  }
}

/**
 * encodeData of an atomic type, `string` or `bytes` (EIP-712): one 32-byte word. Integers are two's complement over the
 * whole word; bytesN has zeros to the right, an address to the left.
 */
export function encodeElementary(type: string, value: ElementaryValue): Uint8Array {
  if (typeof value === "string") return keccak_256(Buffer.from(value, "utf8"))
  if (typeof value === "boolean") return integerWord(value ? 1n : 0n)
  if (typeof value === "bigint") return integerWord(value)
  if (type === "bytes") return keccak_256(value)
  const word = new Uint8Array(WORD)
  word.set(value, type === "address" ? WORD - value.length : 0)
  return word
}

function integerWord(value: bigint): Uint8Array {
  const digits = BigInt.asUintN(256, value).toString(16)
  return Buffer.from(digits.padStart(WORD * 2, "0"), "hex")
}

function integer(type: string, json: unknown, at: string): bigint {
  const bits = BigInt(integerBits(type) ?? 0)
  const signed = type.startsWith("int")
  const [min, max] = signed ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n]
  const value = readInteger(json)
  if (value === undefined || value < min || value > max) throw misfit(at, type)
  return value
}

function fixedBytes(type: string, json: unknown, at: string): Uint8Array {
  const bytes = hexBytes(type, json, at)
  if (bytes.length !== fixedLength(type)) throw misfit(at, type)
  return bytes
}

function addressBytes(json: unknown, at: string): Uint8Array {
  const bytes = typeof json === "string" ? ethereumAddressBytes(json) : undefined
  if (bytes === undefined) throw misfit(at, "address")
  return bytes
}

function hexBytes(type: string, json: unknown, at: string): Uint8Array {
  if (typeof json !== "string" || !HEX_BYTES.test(json)) throw misfit(at, type)
  return Buffer.from(json.slice(2), "hex")
}

const misfit = (at: string, type: string) => new Fault("payload", `${at} is no ${type}`)
