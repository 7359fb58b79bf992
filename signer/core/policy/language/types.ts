/**
 * The type of a value. `dynamic`: known only with the request (arguments of calls, values of EIP-712 messages), so that
 * operations on it are checked at evaluation.
 */
export type Type =
  | { readonly kind: "bool" }
  /** Signed, 128 bits. `quotable`: may be compared with text that is not an integer; the comparison is then a fault. */
  | { readonly kind: "int"; readonly quotable?: true }
  /** Unsigned, 256 bits. */
  | { readonly kind: "uint" }
  | StringType
  /** Milliseconds since the Unix epoch. */
  | { readonly kind: "timestamp" }
  | { readonly kind: "list"; readonly of: Type }
  | StructType
  | { readonly kind: "map"; readonly of: Type }
  | { readonly kind: "dynamic" }

export type StringType = {
  readonly kind: "string"
  /** Compared without regard to case. */
  readonly caseless?: true
  /** The kind of id or name that the text is, such as `user-id`. */
  readonly refersTo?: string
  /** All values of the field. No other text is ever equal to it. */
  readonly values?: readonly string[]
  /** The spelling of its values: no text of another spelling is ever equal to one. */
  readonly spelling?: Spelling
}

/**
 * - `lower-case-hex`: hexadecimal after `0x`; `bare-hex`: without it
 * - `selector`: 8 digits after `0x`; `bare-selector`: without it
 * - `eip-55`: an address, of Ethereum in the mixed case of EIP-55
 * - `evm-address`: 40 digits after `0x`, in any case
 * - `bitcoin-address`: bech32 in lower case, or Base58Check
 * - `tron-address`: Base58Check
 * - `solana-key`: Base58 of 32 bytes
 */
export type Spelling =
  | "lower-case-hex"
  | "bare-hex"
  | "selector"
  | "bare-selector"
  | "eip-55"
  | "evm-address"
  | "bitcoin-address"
  | "tron-address"
  | "solana-key"

export type Fields = Readonly<Record<string, Type>>

export type StructType = {
  readonly kind: "struct"
  readonly name: string
  readonly fields: Fields
  /** Other names of fields, each with the name in values. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Requests have only some of the fields. */
  readonly partial?: true
  /** Type of every other field: an organization names them. */
  readonly others?: Type
}

export const bool: Type = { kind: "bool" }
export const int: Type = { kind: "int" }
export const uint: Type = { kind: "uint" }
export const string: StringType = { kind: "string" }
export const caseless: StringType = { kind: "string", caseless: true }
export const timestamp: Type = { kind: "timestamp" }
export const dynamic: Type = { kind: "dynamic" }

export const list = (of: Type): Type => ({ kind: "list", of })
export const map = (of: Type): Type => ({ kind: "map", of })

export function struct(
  name: string,
  fields: Fields,
  more: Pick<StructType, "aliases" | "partial" | "others"> = {},
): StructType {
  return { kind: "struct", name, fields, ...more }
}

/** A string that is an id or a name, such as an activity's kind. */
export const reference = (meaning: string): StringType => ({ kind: "string", refersTo: meaning })

export const oneOf = (...values: readonly string[]): StringType => ({ kind: "string", values })

/** The type's name in messages and documents. */
export function nameOfType(type: Type): string {
  if (type.kind === "struct") return type.name
  if (type.kind === "dynamic") return "a value known at evaluation"
  if (type.kind !== "list" || type.of.kind === "dynamic") return type.kind
  return `list<${nameOfType(type.of)}>`
}

/** Types of one family can be compared with one another. */
export type Family = "bool" | "number" | "string" | "timestamp" | "dynamic" | "none"

const FAMILIES: Readonly<Record<Type["kind"], Family>> = {
  bool: "bool",
  int: "number",
  uint: "number",
  string: "string",
  timestamp: "timestamp",
  dynamic: "dynamic",
  list: "none",
  struct: "none",
  map: "none",
}

export function familyOf({ kind }: Type): Family {
  return FAMILIES[kind]
}

/** The element type of a list that holds both; undefined where there is none. */
export function commonType(one: Type, other: Type): Type | undefined {
  if (one.kind === "list" && other.kind === "list") {
    const of = commonType(one.of, other.of)
    return of && list(of)
  }
  if (one.kind === "struct" && other.kind === "struct") return commonStruct(one, other)
  const families = [familyOf(one), familyOf(other)]
  if (families.includes("none") || families.includes("timestamp")) return one === other ? one : undefined
  if (families.includes("dynamic")) return dynamic
  if (families[0] !== families[1]) return undefined
  if (families[0] === "number") return one.kind === "uint" || other.kind === "uint" ? uint : int
  return families[0] === "bool" ? bool : string
}

function commonStruct(one: StructType, other: StructType): Type | undefined {
  if (one === other) return one
  const names = Object.keys(one.fields)
  if (names.length !== Object.keys(other.fields).length) return undefined
  const fields = new Map<string, Type>()
  for (const name of names) {
    const [first, second] = [fieldOf(one, name), fieldOf(other, name)]
    const both = first && second && commonType(first, second)
    if (both === undefined) return undefined
    fields.set(name, both)
  }
  return struct(one.name, Object.fromEntries(fields))
}

export function fieldOf({ fields, others }: StructType, name: string): Type | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : others
}
