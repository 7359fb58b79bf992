import type { FieldRule } from "./gen/countersign/api/v1/options_pb.ts"
import { Form } from "./gen/countersign/api/v1/options_pb.ts"

/** A fault of a value, written after the path of its member: "must be ..."; undefined: no fault. */
export type RuleFault = string | undefined

const MAX_INT64_DIGITS = "9223372036854775807"

/** Checks a string against its rule: length in UTF-16 code units, listed values, form, greatest decimal. */
export function faultOfString(text: string, rule: FieldRule): RuleFault {
  if (rule.orEmpty && text === "") return undefined
  if (text.length < rule.minLength) return `must have at least ${counted(rule.minLength, "character")}`
  if (rule.maxLength !== 0 && text.length > rule.maxLength)
    return `must have at most ${counted(rule.maxLength, "character")}`
  if (rule.in.length > 0 && !rule.in.includes(text)) return `must be one of ${rule.in.join(", ")}`
  const form = forms.get(rule.form)
  if (form === undefined || (form.fits(text) && !isOver(text, rule))) return undefined
  const name = rule.maxDecimal === 0n && !isTooLarge(text, rule) ? form.name : boundedName(rule)
  return `must be ${name}${rule.orEmpty ? ", or empty" : ""}${remark(text, rule)}`
}

function isOver(text: string, { maxDecimal }: FieldRule): boolean {
  return maxDecimal !== 0n && BigInt(text) > maxDecimal
}

/** True for an integer beyond every field of 64 bits: it is in decimal digits, so the form's name alone would not say the fault. */
function isTooLarge(text: string, { form }: FieldRule): boolean {
  return (form === Form.DECIMAL || form === Form.POSITIVE_DECIMAL) && /^[1-9][0-9]*$/.test(text)
}

function boundedName({ form, maxDecimal }: FieldRule): string {
  const most = maxDecimal === 0n ? MAX_INT64_DIGITS : maxDecimal
  return `a whole number from ${form === Form.DECIMAL ? 0 : 1} to ${most}, in decimal digits`
}

/** "1 item", "2 items": as signer/core/counted.ts, which the contract does not import. */
function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}

/** Recognizes a point in the other encoding: a common mistake. */
function remark(text: string, { form }: FieldRule): string {
  if (form === Form.UNCOMPRESSED_P256) return COMPRESSED_POINT.test(text) ? " (this one is compressed)" : ""
  const isCompressed = form === Form.COMPRESSED_P256 || form === Form.API_KEY
  return isCompressed && UNCOMPRESSED_POINT.test(text) ? " (this one is uncompressed)" : ""
}

/** SEC 1 §2.3.3, for curves of 256 bits. */
const COMPRESSED_POINT = /^0[23][0-9a-fA-F]{64}$/
const UNCOMPRESSED_POINT = /^04[0-9a-fA-F]{128}$/

/** Checks an integer against its rule. */
export function faultOfNumber(number: number, { minValue, maxValue }: FieldRule): RuleFault {
  const isOutside = maxValue !== 0 && (number < minValue || number > maxValue)
  return isOutside ? `must be from ${minValue} to ${maxValue}` : undefined
}

/** Checks the length of a list or map against its rule. */
export function faultOfLength(length: number, { minItems, maxItems }: FieldRule): RuleFault {
  if (length < minItems) return `must have at least ${counted(minItems, "item")}`
  return maxItems !== 0 && length > maxItems ? `must have at most ${counted(maxItems, "item")}` : undefined
}

/**
 * Forms of texts, with their names in faults. A key is checked for its length only: the signer refuses a wrong point with
 * a code of its own.
 */
const forms: ReadonlyMap<Form, { name: string; fits: (text: string) => boolean }> = new Map([
  [Form.UUID, byPattern("a UUID", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)],
  [Form.HEX, byPattern("hexadecimal, two digits a byte, without 0x", /^(?:[0-9a-fA-F]{2})*$/)],
  [Form.POSITIVE_DECIMAL, { name: "a positive integer in decimal digits", fits: isPositiveDecimal }],
  [
    Form.DECIMAL,
    { name: "an integer in decimal digits", fits: (text) => text === "0" || isPositiveDecimal(text) },
  ],
  [Form.E164, byPattern("a phone number like +15551234567", /^\+[1-9][0-9]{6,14}$/)],
  [Form.EMAIL, { name: "an e-mail address", fits: isEmail }],
  [Form.FINGERPRINT, byPattern('"sha256:" and 64 hexadecimal digits', /^sha256:[0-9a-f]{64}$/)],
  [
    Form.COMPRESSED_P256,
    byPattern("a compressed P-256 key: 02 or 03 and 64 hex digits", /^[0-9a-fA-F]{66}$/),
  ],
  [
    Form.API_KEY,
    byPattern(
      "a compressed P-256 key: 02 or 03 and 64 hex digits, a secp256k1 key alike, or an Ed25519 key of 64 hex digits",
      /^[0-9a-fA-F]{64}(?:[0-9a-fA-F]{2})?$/,
    ),
  ],
  [Form.UNCOMPRESSED_P256, byPattern("uncompressed: 04 and 128 hex digits", /^[0-9a-fA-F]{130}$/)],
  [Form.EIP155_CHAIN, { name: "an EVM chain like eip155:1", fits: isEip155Chain }],
  [Form.SOLANA_CHAIN, byPattern("a Solana chain like solana:mainnet", /^solana:[-_0-9a-zA-Z]{1,64}$/)],
  [Form.UINT128, unsigned(128)],
  [Form.UINT256, unsigned(256)],
  [
    Form.USD,
    byPattern("an amount in US dollars like 25 or 0.50", /^(?:0|[1-9][0-9]{0,11})(?:\.[0-9]{1,6})?$/),
  ],
])

function byPattern(name: string, pattern: RegExp): { name: string; fits: (text: string) => boolean } {
  return { name, fits: (text) => pattern.test(text) }
}

function isEip155Chain(text: string): boolean {
  return text.startsWith("eip155:") && isPositiveDecimal(text.slice("eip155:".length))
}

/** 0 to 2^bits - 1 in one spelling: no sign, no leading zeros. */
function unsigned(bits: number): { name: string; fits: (text: string) => boolean } {
  const max = 2n ** BigInt(bits) - 1n
  const digits = String(max).length
  const isShort = (text: string) => text.length <= digits && /^(?:0|[1-9][0-9]*)$/.test(text)
  return {
    name: `an integer from 0 to 2^${bits} - 1 in decimal digits`,
    fits: (text) => isShort(text) && BigInt(text) <= max,
  }
}

/** 1 to 2^63 - 1 in one spelling: no sign, no leading zeros. */
function isPositiveDecimal(text: string): boolean {
  if (text.length > MAX_INT64_DIGITS.length || !/^[1-9][0-9]*$/.test(text)) return false
  return text.length < MAX_INT64_DIGITS.length || text <= MAX_INT64_DIGITS
}

const localPart = /^[^\s"(),:;<>@[\\\]\p{C}]{1,64}$/u
const domainLabel = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u

/** RFC 5321 §4.1.2 without quoted local parts and address literals; RFC 6531 letters are allowed. */
function isEmail(text: string): boolean {
  if (text.length > 254) return false
  const [local, domain, ...rest] = text.split("@")
  if (local === undefined || domain === undefined || rest.length > 0 || !localPart.test(local)) return false
  const isDotted = !local.startsWith(".") && !local.endsWith(".") && !local.includes("..")
  return isDotted && domain.split(".").every((label) => domainLabel.test(label))
}
