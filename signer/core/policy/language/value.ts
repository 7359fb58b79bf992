/**
 * A value of an expression. Integers are bigints: amounts in the smallest unit of their chain, instants in milliseconds
 * since the Unix epoch. Lists are arrays; structs and maps are `Members`.
 */
export type Value = boolean | bigint | string | Caseless | readonly Value[] | Members

/**
 * Members of a struct by field name, or of a map by key. Reading a name that is absent is a fault; so is reading one that
 * holds `fieldNotUsed`, an optional field that the request omits. Reading one that holds `UnreadableValue` refuses the request.
 */
export type Members = ReadonlyMap<string, MemberValue>

export type MemberValue = Value | typeof fieldNotUsed | UnreadableValue

export const fieldNotUsed: unique symbol = Symbol("field not used")

/** A value of the request that cannot be read. A fault would skip a DENY on it. `refusal`: thrown to each reader. */
export class UnreadableValue {
  readonly refusal: Error

  constructor(refusal: Error) {
    this.refusal = refusal
  }
}

/**
 * Text compared without regard to case: addresses and bytes in hexadecimal. The evaluator wraps strings of fields whose type is
 * caseless. Values without a declared type (arguments of calls, values of EIP-712 messages) are wrapped where they are built. A
 * slice of it stays caseless.
 */
export class Caseless {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Makes members from a record; undefined values are absent. */
export function members(record: Readonly<Record<string, MemberValue | undefined>>): Members {
  const map = new Map<string, MemberValue>()
  for (const [name, value] of Object.entries(record)) if (value !== undefined) map.set(name, value)
  return map
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

export function isMembers(value: Value): value is Members {
  return value instanceof Map
}

const BEYOND_ASCII = /[^\0-\x7f]/

/** Lowers A to Z alone: the length stays, and no other letter becomes ASCII. */
export function foldCase(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase()
  // A pattern with a callback would take twenty times as long on a text of capitals.
  const units = Buffer.from(text, "utf16le")
  for (let at = 0; at < units.length; at += 2) {
    const low = units[at] ?? 0
    if (units[at + 1] === 0 && low >= 0x41 && low <= 0x5a) units[at] = low | 0x20
  }
  return units.toString("utf16le")
}
