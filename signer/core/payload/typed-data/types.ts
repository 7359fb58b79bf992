import { PayloadFault, requireMembers, requireObject } from "../fault.ts"

/** Size of a dimension of an array, `undefined` for any size. Outermost last, as written. */
export type ArraySize = number | undefined

/** A member's type: the name of an atomic type, `string`, `bytes` or a struct, and its array dimensions. */
export type MemberType = {
  readonly text: string
  readonly base: string
  readonly sizes: readonly ArraySize[]
}
export type Member = { readonly name: string; readonly type: MemberType }
export type Types = ReadonlyMap<string, readonly Member[]>

export const DOMAIN = "EIP712Domain"

// Far above what wallets sign. They bound the recursions of this folder and the text of all types together,
// which is hashed once for each type that contains it.
const MAX_TYPES = 64
const MAX_MEMBERS = 512
const MAX_DIMENSIONS = 8

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/
/**
 * A struct's name may have colons, as `HyperliquidTransaction:ApproveAgent` has. encodeType stays unambiguous while it has
 * no parenthesis, comma, bracket or space.
 */
const STRUCT_NAME = /^[A-Za-z_$:][A-Za-z0-9_$:]{0,63}$/
const ARRAY_TYPE = /^([^[\]]+)((?:\[(?:[1-9][0-9]{0,5})?\])*)$/
const INTEGER_TYPE = /^u?int([0-9]+)$/
const BYTES_TYPE = /^bytes([0-9]+)$/
/** No struct may have the name of a Solidity type, because readers would disagree on it. */
const RESERVED = /^(?:u?int[0-9]*|u?fixed(?:[0-9]+x[0-9]+)?|bytes?[0-9]*|string|bool|address|function)$/

/**
 * Reads `types`: struct name -> [{name, type}]. Refuses unknown and reserved type names, a member named twice,
 * and structs that contain themselves, directly or through others.
 * @throws {PayloadFault}
 */
export function readTypes(json: unknown): Types {
  const entries = Object.entries(requireObject(json, "types"))
  if (entries.length > MAX_TYPES) throw new PayloadFault(`there are more than ${MAX_TYPES} types`)
  const types = new Map(
    entries.map(([name, members]) => [requireStructName(name), readMembers(name, members)]),
  )
  const count = [...types.values()].reduce((sum, members) => sum + members.length, 0)
  if (count > MAX_MEMBERS) throw new PayloadFault(`the types have more than ${MAX_MEMBERS} members`)
  for (const [name, members] of types) {
    for (const { type } of members) requireKnown(type, types, name)
  }
  requireNoCycle(types)
  return types
}

/** Bits of uintN and intN: 8 to 256 in steps of 8. Undefined for other types. */
export function integerBits(type: string): number | undefined {
  const bits = numberIn(INTEGER_TYPE, type)
  return bits !== undefined && bits % 8 === 0 && bits <= 256 ? bits : undefined
}

/** Length of bytesN: 1 to 32. Undefined for other types. */
export function fixedLength(type: string): number | undefined {
  const length = numberIn(BYTES_TYPE, type)
  return length !== undefined && length <= 32 ? length : undefined
}

function numberIn(pattern: RegExp, type: string): number | undefined {
  const digits = pattern.exec(type)?.[1]
  return digits === undefined || digits.startsWith("0") ? undefined : Number(digits)
}

/** uint and int without a size are no types (EIP-712, definition of typed structured data). */
function isElementary(type: string): boolean {
  if (type === "bool" || type === "address" || type === "string" || type === "bytes") return true
  return integerBits(type) !== undefined || fixedLength(type) !== undefined
}

function readMembers(struct: string, json: unknown): readonly Member[] {
  if (!Array.isArray(json)) throw new PayloadFault(`type ${struct} is no list of members`)
  const members = json.map((entry) => readMember(struct, entry))
  if (new Set(members.map(({ name }) => name)).size < members.length)
    throw new PayloadFault(`type ${struct} has two members of one name`)
  return members
}

function readMember(struct: string, json: unknown): Member {
  const what = `a member of type ${struct}`
  const member = requireObject(json, what)
  requireMembers(member, ["name", "type"], what)
  const { name, type } = member
  if (typeof name !== "string" || !IDENTIFIER.test(name)) throw new PayloadFault(`${what} has no valid name`)
  if (typeof type !== "string") throw new PayloadFault(`${what} has no valid type`)
  return { name, type: readMemberType(type, what) }
}

function readMemberType(text: string, what: string): MemberType {
  const [, base, dimensions] = ARRAY_TYPE.exec(text) ?? []
  if (base === undefined || dimensions === undefined) throw new PayloadFault(`${what} has no valid type`)
  const sizes = Array.from(dimensions.matchAll(/\[([0-9]*)\]/g), ([, size]) =>
    size ? Number(size) : undefined,
  )
  if (sizes.length > MAX_DIMENSIONS)
    throw new PayloadFault(`${what} has more than ${MAX_DIMENSIONS} dimensions`)
  return { text, base, sizes }
}

function requireStructName(name: string): string {
  if (STRUCT_NAME.test(name) && !RESERVED.test(name)) return name
  throw new PayloadFault("a type has no valid name")
}

function requireKnown({ base }: MemberType, types: Types, struct: string): void {
  if (base === DOMAIN) throw new PayloadFault(`type ${struct} contains ${DOMAIN}`)
  if (!types.has(base) && !isElementary(base))
    throw new PayloadFault(`type ${struct} has a member of unknown type`)
}

/** Depth-first: a struct that is met again while its own members are being followed contains itself. */
function requireNoCycle(types: Types): void {
  const done = new Set<string>()
  const open = new Set<string>()
  const visit = (struct: string): void => {
    if (done.has(struct)) return
    if (open.has(struct)) throw new PayloadFault(`type ${struct} contains itself`)
    open.add(struct)
    for (const { type } of types.get(struct) ?? []) visit(type.base)
    open.delete(struct)
    done.add(struct)
  }
  for (const struct of types.keys()) visit(struct)
}
