// What expressions compute with. Builders of values (`../namespaces/`) give them, the evaluator reads them.

/**
 * A value. Integers are bigints, amounts in the smallest unit of their chain; instants are bigints too, milliseconds
 * since the Unix epoch. Lists are arrays; structs and maps are both `Members`.
 */
export type Value = boolean | bigint | string | Caseless | readonly Value[] | Members

/**
 * Members of a struct by field name, or of a map by key. A name that is not there is a missing field (or key); one
 * that holds `fieldNotUsed` belongs to the struct but was left out of this request. To read either is a fault.
 */
export type Members = ReadonlyMap<string, Value | typeof fieldNotUsed>

/** Marks an optional field that this request does not use. */
export const fieldNotUsed: unique symbol = Symbol("field not used")

/**
 * Text that is compared without regard to case: addresses and bytes in hexadecimal. Fields whose declared type is
 * caseless may be given as plain strings, the evaluator wraps them; values without a declared type (arguments of
 * calls, values of EIP-712 messages) have to be wrapped by their builder. Pieces of it stay caseless.
 */
export class Caseless {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Members out of a record; what is undefined there is missing. */
export function members(record: Readonly<Record<string, Value | typeof fieldNotUsed | undefined>>): Members {
  const map = new Map<string, Value | typeof fieldNotUsed>()
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
const CAPITALS = /[A-Z]+/g

/** Lowers A to Z and nothing else, so that the length stays and no other letter ever becomes an ASCII one. */
export function foldCase(text: string): string {
  return BEYOND_ASCII.test(text) ? text.replace(CAPITALS, (found) => found.toLowerCase()) : text.toLowerCase()
}
