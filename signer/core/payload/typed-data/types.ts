import { Fault } from "../../fault.ts"
import { memberOf, requireObject } from "../json.ts"

/** Size of a dimension of an array, `undefined` for any size. Outermost last, as written. */
export type ArraySize = number | undefined

/** A member's type: the name of an atomic type, `string`, `bytes` or a struct, and its array dimensions. */
export type MemberType = {
  readonly text: string
  readonly base: string
  readonly sizes: readonly ArraySize[]
}
export type TypedMember = { readonly name: string; readonly type: MemberType }
export type TypedDataTypes = ReadonlyMap<string, readonly TypedMember[]>

export const DOMAIN = "EIP712Domain"

// Far above what wallets sign. They bound the types together, whose text is hashed once for each type that contains it.
const MAX_TYPES = 64
const MAX_MEMBERS = 512
const MAX_DIMENSIONS = 8

/** Longest name, characters. A name costs its text, which the budget of a request bounds. */
const MAX_NAME_LENGTH = 4096

/** A member's name. encodeType stays unambiguous while it has no parenthesis, comma or bracket, and types have no space. */
const MEMBER_NAME = /^(?:[^\p{C}\p{Z}(),[\]]| )+$/u
/** A struct's name, as viem takes it: `HyperliquidTransaction:ApproveAgent`. */
const STRUCT_NAME = /^[A-Za-z0-9_$:]+$/
const ARRAY_TYPE = /^([^[\]]+)((?:\[(?:[1-9][0-9]{0,5})?\])*)$/
const INTEGER_TYPE = /^u?int([0-9]+)$/
const BYTES_TYPE = /^bytes([0-9]+)$/
// Remedies, as the ends of sentences.
const MEMBER_NAMES = `use 1 to ${MAX_NAME_LENGTH} characters without parentheses, brackets, commas and controls`
const STRUCT_NAMES = `use 1 to ${MAX_NAME_LENGTH} letters, digits, _, $ or :, and no name of a Solidity type`
const MEMBER_TYPES =
  "use a type with its size such as uint256, one of types, or a list of them such as Person[2]"
/** No struct may have the name of a Solidity type, because readers would disagree on it. */
const RESERVED = /^(?:u?int[0-9]*|u?fixed(?:[0-9]+x[0-9]+)?|bytes?[0-9]*|string|bool|address|function)$/

/**
 * Reads those of `types`, struct name -> [{name, type}], that `roots` contain: no digest covers the others. Refuses unknown and
 * reserved type names and a member named twice. A struct may contain itself: values are finite, and encodeType names each
 * struct once.
 * @throws {Fault payload}
 */
export function readTypes(json: unknown, roots: readonly string[]): TypedDataTypes {
  const listed = requireObject(json, "types")
  const types = new Map<string, readonly TypedMember[]>()
  const pending = roots.filter((name) => Object.hasOwn(listed, name))
  let count = 0
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (types.has(name)) continue
    const members = readMembers(requireStructName(name), memberOf(listed, name))
    types.set(name, members)
    if (types.size > MAX_TYPES) throw new Fault("payload", `there are more than ${MAX_TYPES} types`)
    count += members.length
    if (count > MAX_MEMBERS) throw new Fault("payload", `the types have more than ${MAX_MEMBERS} members`)
    for (const { type } of members) {
      if (Object.hasOwn(listed, type.base)) pending.push(type.base)
      else requireElementary(type, name)
    }
  }
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

function readMembers(struct: string, json: unknown): readonly TypedMember[] {
  if (!Array.isArray(json))
    throw new Fault("payload", `type ${struct} is no list of members; write [{name, type}]`)
  const members = json.map((entry) => readMember(struct, entry))
  if (new Set(members.map(({ name }) => name)).size < members.length)
    throw new Fault("payload", `type ${struct} has two members of one name; rename one`)
  return members
}

function readMember(struct: string, json: unknown): TypedMember {
  const what = `a member of type ${struct}`
  // Libraries ignore other members, as `internalType`.
  const member = requireObject(json, what)
  const [name, type] = [memberOf(member, "name"), memberOf(member, "type")]
  if (typeof name !== "string" || !isName(name, MEMBER_NAME))
    throw new Fault("payload", `${what} has no valid name; ${MEMBER_NAMES}`)
  if (typeof type !== "string") throw new Fault("payload", `${what} has no valid type; ${MEMBER_TYPES}`)
  return { name, type: readMemberType(type, what) }
}

function readMemberType(text: string, what: string): MemberType {
  const [, base, dimensions] = ARRAY_TYPE.exec(text) ?? []
  if (base === undefined || dimensions === undefined)
    throw new Fault("payload", `${what} has no valid type; ${MEMBER_TYPES}`)
  const sizes = Array.from(dimensions.matchAll(/\[([0-9]*)\]/g), ([, size]) =>
    size ? Number(size) : undefined,
  )
  if (sizes.length > MAX_DIMENSIONS)
    throw new Fault("payload", `${what} has more than ${MAX_DIMENSIONS} dimensions`)
  return { text, base, sizes }
}

function isName(text: string, form: RegExp): boolean {
  return text.length <= MAX_NAME_LENGTH && form.test(text)
}

function requireStructName(name: string): string {
  if (isName(name, STRUCT_NAME) && !RESERVED.test(name)) return name
  throw new Fault("payload", `a type has no valid name; ${STRUCT_NAMES}`)
}

function requireElementary({ base }: MemberType, struct: string): void {
  if (!isElementary(base))
    throw new Fault("payload", `type ${struct} has a member of unknown type; ${MEMBER_TYPES}`)
}
