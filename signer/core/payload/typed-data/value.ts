import { keccak_256 } from "@noble/hashes/sha3.js"
import { ethereumAddressBytes } from "../../address/ethereum.ts"
import { PayloadFault, readInteger } from "../fault.ts"
import { fixedLength, integerBits } from "./types.ts"

const WORD = 32
const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/

/**
 * encodeData of an atomic type, `string` or `bytes` (EIP-712): one 32-byte word. Nothing is converted: a bool is
 * true or false, bytes are 0x and pairs of hex digits, a value that does not fit its type is a fault.
 * @throws {PayloadFault}
 */
export function encodeElementary(type: string, json: unknown, at: string): Uint8Array {
  switch (type) {
    case "string":
      if (typeof json !== "string" || !json.isWellFormed()) throw misfit(at, type)
      return keccak_256(Buffer.from(json, "utf8"))
    case "bytes":
      return keccak_256(hexBytes(type, json, at))
    case "bool":
      if (typeof json !== "boolean") throw misfit(at, type)
      return wordOf(json ? 1n : 0n)
    case "address":
      return addressWord(json, at)
    default:
      return type.startsWith("bytes") ? fixedBytesWord(type, json, at) : integerWord(type, json, at)
  }
}

/** Two's complement over the whole word. */
function integerWord(type: string, json: unknown, at: string): Uint8Array {
  const bits = BigInt(integerBits(type) ?? 0)
  const signed = type.startsWith("int")
  const [min, max] = signed ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n]
  const value = readInteger(json)
  if (value === undefined || value < min || value > max) throw misfit(at, type)
  return wordOf(BigInt.asUintN(256, value))
}

function wordOf(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(WORD * 2, "0"), "hex")
}

/** Zeros to the right. */
function fixedBytesWord(type: string, json: unknown, at: string): Uint8Array {
  const bytes = hexBytes(type, json, at)
  if (bytes.length !== fixedLength(type)) throw misfit(at, type)
  const word = new Uint8Array(WORD)
  word.set(bytes)
  return word
}

/** Zeros to the left. */
function addressWord(json: unknown, at: string): Uint8Array {
  const bytes = typeof json === "string" ? ethereumAddressBytes(json) : undefined
  if (bytes === undefined) throw misfit(at, "address")
  const word = new Uint8Array(WORD)
  word.set(bytes, WORD - bytes.length)
  return word
}

function hexBytes(type: string, json: unknown, at: string): Uint8Array {
  if (typeof json !== "string" || !HEX_BYTES.test(json)) throw misfit(at, type)
  return Buffer.from(json.slice(2), "hex")
}

const misfit = (at: string, type: string) => new PayloadFault(`${at} is no ${type}`)
