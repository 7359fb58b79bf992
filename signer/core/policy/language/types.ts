/**
 * What is known of a value before any request. `dynamic` is what only a request tells: arguments of calls, values of
 * EIP-712 messages; operations on it are checked when they are evaluated.
 */
export type Type =
  | { readonly kind: "bool" }
  /** Signed, 128 bits. With `quotable`, text that is no integer may stand against it; comparing the two is a fault. */
  | { readonly kind: "int"; readonly quotable?: true }
  /** Unsigned, 256 bits. */
  | { readonly kind: "uint" }
  | StringType
  /** Milliseconds since the Unix epoch. */
  | { readonly kind: "timestamp" }
  | { readonly kind: "list"; readonly of: Type }
  | StructType
  | { readonly kind: "map"; readonly of: Type }
  /** `asSent`: whether an integer is one, or text, is the sender's choice. */
  | { readonly kind: "dynamic"; readonly asSent?: true }

export type StringType = {
  readonly kind: "string"
  /** Compared without regard to case. */
  readonly caseless?: true
  /** What the text names: lints look it up among what the caller knows. */
  readonly refersTo?: string
  /** All values it can have. Others may be written, and are never true. */
  readonly values?: readonly string[]
  /** Its one spelling, which comparisons hold it to. */
  readonly spelling?: "lower-case-hex" | "eip-55"
}

export type Fields = Readonly<Record<string, Type>>

export type StructType = {
  readonly kind: "struct"
  readonly name: string
  readonly fields: Fields
  /** Other spellings of a field, each with the name that values carry. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Requests have only some of the fields. */
  readonly partial?: true
}

export const bool: Type = { kind: "bool" }
export const int: Type = { kind: "int" }
export const uint: Type = { kind: "uint" }
export const string: StringType = { kind: "string" }
export const caseless: StringType = { kind: "string", caseless: true }
export const timestamp: Type = { kind: "timestamp" }
export const dynamic: Type = { kind: "dynamic" }

export function list(of: Type): Type {
  return { kind: "list", of }
}

export function map(of: Type): Type {
  return { kind: "map", of }
}

export function struct(
  name: string,
  fields: Fields,
  more: Pick<StructType, "aliases" | "partial"> = {},
): StructType {
  return { kind: "struct", name, fields, ...more }
}

/** A string that names something: an id, a kind of activity. */
export function reference(meaning: string): StringType {
  return { kind: "string", refersTo: meaning }
}

export function oneOf(...values: readonly string[]): StringType {
  return { kind: "string", values }
}

/** The type as people write it. */
export function nameOfType(type: Type): string {
  switch (type.kind) {
    case "list":
      return type.of.kind === "dynamic" ? "list" : `list<${nameOfType(type.of)}>`
    case "map":
      return "map"
    case "struct":
      return type.name
    case "dynamic":
      return "a value known at evaluation"
    case "bool":
    case "int":
    case "uint":
    case "string":
    case "timestamp":
      return type.kind
    default:
      return type satisfies never
  }
}

/** What can be compared with one another. */
export type Family = "bool" | "number" | "string" | "timestamp" | "dynamic" | "none"

export function familyOf(type: Type): Family {
  switch (type.kind) {
    case "int":
    case "uint":
      return "number"
    case "bool":
    case "string":
    case "timestamp":
    case "dynamic":
      return type.kind
    case "list":
    case "struct":
    case "map":
      return "none"
    default:
      return type satisfies never
  }
}

/** The type of a list's elements that holds both; undefined where there is none. */
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

export function fieldOf({ fields }: StructType, name: string): Type | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
