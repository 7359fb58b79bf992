import { isFault } from "../fault.ts"
import {
  interfaceFault,
  join,
  type InterfaceMembers,
  memberOf,
  quoted,
  readOrFault,
  requireObject,
  requireString,
} from "./fault.ts"
import { isJsonObject } from "../../../proto/strict-json.ts"

/** A type of Solidity's ABI (Contract ABI Specification, "Types"). Lengths in bytes, sizes in bits. */
export type AbiType =
  | { is: "uint" | "int"; bits: number }
  | { is: "fixed" | "ufixed"; bits: number; decimals: number }
  | { is: "address" | "bool" | "string" | "bytes" | "function" }
  | { is: "fixedBytes"; length: number }
  | { is: "array"; of: AbiType; length: number | undefined }
  | { is: "tuple"; members: readonly AbiParameter[] }

/** A parameter. `name` is empty if the interface gives none; several parameters may share a name. */
export type AbiParameter = { name: string; type: AbiType }

/** Longest name of a parameter, characters. */
const MAX_NAME_LENGTH = 256
/** Longest text of one type, characters: room for a dozen dimensions. */
const MAX_TYPE_LENGTH = 128
/** Dimensions of one array. */
const MAX_DIMENSIONS = 8
/** Largest length of a fixed array: far more than a transaction holds. */
const MAX_ARRAY_LENGTH = 2 ** 32 - 1

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,255}$/
const DIMENSION = /\[([0-9]*)\]$/
const INTEGER = /^(u?int)([0-9]{0,3})$/
const FIXED_POINT = /^(u?fixed)(?:([0-9]{1,3})x([0-9]{1,2}))?$/
const FIXED_BYTES = /^bytes([0-9]{1,2})$/
const PLAIN = new Set(["address", "bool", "string", "bytes", "function"])

/** @throws Fault interface */
export function requireIdentifier(text: string, place: string): string {
  if (IDENTIFIER.test(text)) return text
  throw interfaceFault(place, `is no identifier of Solidity: ${quoted(text)}`)
}

/** Parameters of a function or members of a tuple. @throws Fault interface */
export function readParameters(list: readonly unknown[], place: string): AbiParameter[] {
  return list.map((item, index) => readParameter(item, `${place}[${index}]`))
}

/** The spelling that goes into a function's signature. */
function canonicalType(type: AbiType): string {
  switch (type.is) {
    case "uint":
    case "int":
      return `${type.is}${type.bits}`
    case "fixed":
    case "ufixed":
      return `${type.is}${type.bits}x${type.decimals}`
    case "fixedBytes":
      return `bytes${type.length}`
    case "array":
      return `${canonicalType(type.of)}[${type.length ?? ""}]`
    case "tuple":
      return `(${canonicalTypes(type.members)})`
    default:
      return type.is
  }
}

export function canonicalTypes(parameters: readonly AbiParameter[]): string {
  return parameters.map(({ type }) => canonicalType(type)).join(",")
}

/**
 * Types of parameters as the interface spells them, for the signature of a function that cannot be read. Compilers put such
 * types into the signature as they stand, as `Market.Side` of a library. Undefined: a parameter's type is no text.
 */
export function spelledTypes(list: readonly unknown[]): string | undefined {
  const spelled = list.map(spelledType)
  return spelled.includes(undefined) ? undefined : spelled.join(",")
}

const TUPLE = /^tuple((?:\[[0-9]*\])*)$/

function spelledType(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined
  const [text, components] = [memberOf(value, "type"), memberOf(value, "components")]
  if (typeof text !== "string") return undefined
  const [, dimensions] = TUPLE.exec(text) ?? []
  if (dimensions === undefined) {
    const type = readOrFault(() => readType(text, () => [], ""))
    return isFault(type, "interface") ? text : canonicalType(type)
  }
  const members = Array.isArray(components) ? spelledTypes(components) : undefined
  return members === undefined ? undefined : `(${members})${dimensions}`
}

function readParameter(value: unknown, place: string): AbiParameter {
  const members = requireObject(value, place)
  const name = memberOf(members, "name") === undefined ? "" : requireString(members, "name", place)
  if (name.length > MAX_NAME_LENGTH)
    throw interfaceFault(join(place, "name"), `has more than ${MAX_NAME_LENGTH} characters`)
  const text = requireString(members, "type", place)
  if (text.length > MAX_TYPE_LENGTH)
    throw interfaceFault(join(place, "type"), `has more than ${MAX_TYPE_LENGTH} characters`)
  return { name, type: readType(text, () => readComponents(members, place), join(place, "type")) }
}

function readComponents(members: InterfaceMembers, place: string): AbiParameter[] {
  const components = memberOf(members, "components")
  if (Array.isArray(components)) return readParameters(components, join(place, "components"))
  throw interfaceFault(join(place, "components"), "must be the list of the tuple's members")
}

/** The last dimension is the outermost: T[2][] is a list of pairs. */
function readType(text: string, components: () => AbiParameter[], place: string, dimensions = 0): AbiType {
  const dimension = DIMENSION.exec(text)
  if (dimension === null) return readBase(text, components, place)
  if (dimensions === MAX_DIMENSIONS) throw interfaceFault(place, `has more than ${MAX_DIMENSIONS} dimensions`)
  const length = readArrayLength(dimension[1] ?? "", place)
  const of = readType(text.slice(0, dimension.index), components, place, dimensions + 1)
  return { is: "array", of, length }
}

function readArrayLength(digits: string, place: string): number | undefined {
  if (digits === "") return undefined
  const length = Number(digits)
  if (/^[1-9]/.test(digits) && length <= MAX_ARRAY_LENGTH) return length
  throw interfaceFault(place, `has an invalid array length: ${quoted(digits)}`)
}

function readBase(text: string, components: () => AbiParameter[], place: string): AbiType {
  if (text === "tuple") return { is: "tuple", members: components() }
  if (PLAIN.has(text)) return { is: text as "address" | "bool" | "string" | "bytes" | "function" }
  const type = readInteger(text) ?? readFixedPoint(text) ?? readFixedBytes(text)
  if (type !== undefined) return type
  throw interfaceFault(place, `is no type of the ABI: ${quoted(text)}`)
}

/** uint and int stand for 256 bits. */
function readInteger(text: string): AbiType | undefined {
  const [, is, digits = ""] = INTEGER.exec(text) ?? []
  if (is !== "uint" && is !== "int") return undefined
  const bits = digits === "" ? 256 : Number(digits)
  return isWidth(bits, digits) ? { is, bits } : undefined
}

/** fixed and ufixed stand for 128x18. */
function readFixedPoint(text: string): AbiType | undefined {
  const [, is, width = "128", places = "18"] = FIXED_POINT.exec(text) ?? []
  if (is !== "fixed" && is !== "ufixed") return undefined
  const [bits, decimals] = [Number(width), Number(places)]
  const hasDecimals = decimals >= 1 && decimals <= 80 && !places.startsWith("0")
  return isWidth(bits, width) && hasDecimals ? { is, bits, decimals } : undefined
}

function readFixedBytes(text: string): AbiType | undefined {
  const [, digits = ""] = FIXED_BYTES.exec(text) ?? []
  const length = Number(digits)
  return /^[1-9]/.test(digits) && length <= 32 ? { is: "fixedBytes", length } : undefined
}

/** 8 to 256 bits in steps of 8, without leading zeros. */
function isWidth(bits: number, digits: string): boolean {
  return bits >= 8 && bits <= 256 && bits % 8 === 0 && !digits.startsWith("0")
}
