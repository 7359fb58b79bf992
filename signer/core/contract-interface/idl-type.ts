import {
  interfaceFault,
  join,
  memberOf,
  quoted,
  requireDistinct,
  requireList,
  requireObject,
  requireString,
} from "./fault.ts"

/** A type of an Anchor IDL, laid out by Borsh. */
export type IdlType =
  | { is: "bool" | "bytes" | "string" | "publicKey" }
  | { is: "integer"; bits: number; signed: boolean }
  | { is: "float"; bits: number }
  | { is: "vec" | "option"; of: IdlType }
  | { is: "array"; of: IdlType; length: number }
  | { is: "defined"; name: string }

export type IdlField = { name: string; type: IdlType }

/** Fields of a variant: none, named, or by position, whose names are their indices. */
export type IdlVariant = { name: string; fields: readonly IdlField[] }

/** A type that the IDL defines. */
export type IdlDefinition = {
  name: string
  /** Path in the IDL, for sentences about the type. */
  place: string
  shape:
    | { is: "struct"; fields: readonly IdlField[] }
    | { is: "enum"; variants: readonly IdlVariant[] }
    | { is: "alias"; of: IdlType }
}

/** Largest length of a fixed array: more bytes than a transaction has. */
const MAX_ARRAY_LENGTH = 65_535
/** Largest number of variants: one byte selects the variant. */
const MAX_VARIANTS = 256
/** Largest length of a name, characters. */
const MAX_NAME_LENGTH = 256

const SCALAR = /^([iuf])(8|16|32|64|128|256)$/
const PLAIN: ReadonlyMap<string, IdlType> = new Map([
  ["bool", { is: "bool" }],
  ["bytes", { is: "bytes" }],
  ["string", { is: "string" }],
  ["publicKey", { is: "publicKey" }],
  // The name since Anchor 0.30.
  ["pubkey", { is: "publicKey" }],
])

/** @throws Fault interface */
export function requireName(value: unknown, place: string): string {
  const members = requireObject(value, place)
  const name = requireString(members, "name", place)
  if (name.length >= 1 && name.length <= MAX_NAME_LENGTH) return name
  throw interfaceFault(join(place, "name"), `must have 1 to ${MAX_NAME_LENGTH} characters`)
}

/** Named fields in order, no name twice. @throws Fault interface */
export function readFields(list: readonly unknown[], place: string): IdlField[] {
  const fields = list.map((item, index) => {
    const at = `${place}[${index}]`
    const members = requireObject(item, at)
    return { name: requireName(members, at), type: readIdlType(memberOf(members, "type"), join(at, "type")) }
  })
  requireDistinct(fields, place)
  return fields
}

/** One of `types`. @throws Fault interface */
export function readDefinition(value: unknown, place: string): IdlDefinition {
  const members = requireObject(value, place)
  const name = requireName(members, place)
  requireNoGenerics(members, place)
  const serialization = memberOf(members, "serialization")
  if (serialization !== undefined && serialization !== "borsh")
    throw interfaceFault(join(place, "serialization"), "cannot be read: arguments are laid out by Borsh")
  const at = join(place, "type")
  return { name, place, shape: readShape(requireObject(memberOf(members, "type"), at), at) }
}

function readShape(members: Readonly<Record<string, unknown>>, place: string): IdlDefinition["shape"] {
  const kind = requireString(members, "kind", place)
  switch (kind) {
    case "struct":
      return { is: "struct", fields: readShapeFields(memberOf(members, "fields"), join(place, "fields")) }
    case "enum":
      return { is: "enum", variants: readVariants(requireList(members, "variants", place), place) }
    case "alias":
      return { is: "alias", of: readIdlType(memberOf(members, "value"), join(place, "value")) }
    // The name since Anchor 0.30.
    case "type":
      return { is: "alias", of: readIdlType(memberOf(members, "alias"), join(place, "alias")) }
    default:
      throw interfaceFault(join(place, "kind"), `must be struct, enum or alias: ${quoted(kind)}`)
  }
}

function readVariants(list: readonly unknown[], shape: string): IdlVariant[] {
  const place = join(shape, "variants")
  if (list.length < 1 || list.length > MAX_VARIANTS)
    throw interfaceFault(place, `must have 1 to ${MAX_VARIANTS} items`)
  const variants = list.map((item, index) => {
    const at = `${place}[${index}]`
    const members = requireObject(item, at)
    const fields = readShapeFields(memberOf(members, "fields"), join(at, "fields"))
    return { name: requireName(members, at), fields }
  })
  requireDistinct(variants, place)
  return variants
}

/** Reads fields; absent: none. The first field shows whether the fields have names or are types only. */
function readShapeFields(value: unknown, place: string): IdlField[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw interfaceFault(place, "must be a list")
  const [first] = value as unknown[]
  const isNamed = typeof first === "object" && first !== null && Object.hasOwn(first, "name")
  if (isNamed) return readFields(value, place)
  return value.map((item, index) => ({ name: String(index), type: readIdlType(item, `${place}[${index}]`) }))
}

/** @throws Fault interface */
function readIdlType(value: unknown, place: string): IdlType {
  if (value === undefined) throw interfaceFault(place, "is missing")
  return typeof value === "string"
    ? readNamedType(value, place)
    : readComposedType(requireObject(value, place), place)
}

function readNamedType(text: string, place: string): IdlType {
  const plain = PLAIN.get(text)
  if (plain !== undefined) return plain
  const [, letter, digits] = SCALAR.exec(text) ?? []
  const bits = Number(digits)
  if (letter === "f" && (bits === 32 || bits === 64)) return { is: "float", bits }
  if (letter === "i" || letter === "u") return { is: "integer", bits, signed: letter === "i" }
  throw interfaceFault(place, `is no type that can be read: ${quoted(text)}`)
}

/** {"vec": T}, {"option": T}, {"array": [T, length]}, {"defined": name}. */
function readComposedType(members: Readonly<Record<string, unknown>>, place: string): IdlType {
  const names = Object.keys(members)
  const [name = ""] = names
  if (names.length !== 1) throw interfaceFault(place, "must have one member: vec, option, array or defined")
  const at = join(place, name)
  const inner = memberOf(members, name)
  switch (name) {
    case "vec":
    case "option":
      return { is: name, of: readIdlType(inner, at) }
    case "array":
      return readArray(inner, at)
    case "defined":
      return { is: "defined", name: typeof inner === "string" ? inner : readReference(inner, at) }
    default:
      throw interfaceFault(place, `is no type that can be read: ${quoted(name)}`)
  }
}

function readArray(value: unknown, place: string): IdlType {
  if (!Array.isArray(value) || value.length !== 2) throw interfaceFault(place, "must be a type and a length")
  const [of, length] = value as [unknown, unknown]
  const type = readIdlType(of, `${place}[0]`)
  if (typeof length === "number" && Number.isInteger(length) && length >= 0 && length <= MAX_ARRAY_LENGTH)
    return { is: "array", of: type, length }
  throw interfaceFault(`${place}[1]`, `must be a length of 0 to ${MAX_ARRAY_LENGTH}`)
}

function readReference(value: unknown, place: string): string {
  const members = requireObject(value, place)
  requireNoGenerics(members, place)
  return requireName(members, place)
}

/** Types with parameters are faults: they have no single layout. */
function requireNoGenerics(members: Readonly<Record<string, unknown>>, place: string): void {
  const generics = memberOf(members, "generics")
  if (generics === undefined || (Array.isArray(generics) && generics.length === 0)) return
  throw interfaceFault(join(place, "generics"), "cannot be read: types with parameters have no single layout")
}
