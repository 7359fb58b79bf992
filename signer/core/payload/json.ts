import { Fault } from "../fault.ts"
import { isJsonObject, parseStrictJson, StrictJsonError } from "../../../proto/strict-json.ts"

/** Strict JSON: no member twice, no half surrogates, bounded depth, no rounded integers. @throws {Fault payload} */
export function readPayloadJson(text: string): unknown {
  try {
    const value = parseStrictJson(text)
    if (!MAY_BE_ROUNDED.test(text)) return value
    return JSON.parse(text.replace(STRING_OR_NUMBER, (token) => (isRounded(token) ? "null" : token)))
  } catch (cause) {
    if (!(cause instanceof StrictJsonError)) throw cause
    throw new Fault("payload", cause.message, undefined, cause)
  }
}

/** Matches every text with a number of 16 digits or with an exponent, and some others. */
const MAY_BE_ROUNDED = /(?:^|[[:,\s])-?(?:\d{16}|[\d.]+[eE])/
/** Tokens of a JSON text that have digits. A rounded number is read as null, which no type takes. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g
const NUMBER = /^(-?\d+)(?:\.(\d+))?(?:[eE]\+?(\d+))?$/

/** True for an integer that is not the number of its text: a double holds 53 bits. */
function isRounded(token: string): boolean {
  if (token.startsWith('"')) return false
  const value = Number(token)
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return false
  // No type has room for more.
  if (Math.abs(value) > 2 ** 256) return true
  const [, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(token) ?? []
  const zeros = Number(exponent) - fraction.length
  return zeros < 0 || BigInt(whole + fraction) * 10n ** BigInt(zeros) !== BigInt(value)
}

/** The value if it is a JSON object. @throws {Fault payload} */
export function requireObject(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isJsonObject(value)) throw new Fault("payload", `${what} is no object`)
  return value
}

/** An own member, so that `constructor` and the like are never found. */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** @throws {Fault payload} unless the object has exactly these members. */
export function requireMembers(object: object, names: readonly string[], what: string): void {
  const missing = names.find((name) => !Object.hasOwn(object, name))
  if (missing !== undefined) throw new Fault("payload", `${what} has no ${missing}`)
  if (Object.keys(object).length > names.length)
    throw new Fault("payload", `${what} has other members than ${names.join(", ")}`)
}

/**
 * The integer forms that Ethereum libraries write into JSON: a number that a double holds exactly, decimal digits, or 0x and
 * hex digits. Texts may have a minus. Undefined for any other value: "", "1.5", "1e3", "007", blanks.
 */
export function readInteger(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : undefined
  if (typeof value !== "string" || value.length > MAX_LENGTH) return undefined
  const [, minus, digits] = INTEGER.exec(value) ?? []
  if (digits === undefined) return undefined
  const magnitude = BigInt(digits)
  return minus === "-" ? -magnitude : magnitude
}

const INTEGER = /^(-?)(0|[1-9][0-9]*|0x[0-9a-fA-F]+)$/

/** A minus, and the 78 digits of 2^256; longer hex can only be zeros in front. */
const MAX_LENGTH = 79
