import { counted } from "../../counted.ts"
import { Fault } from "../../fault.ts"
import { memberOf, readPayloadJson, requireObject } from "../json.ts"
import type { HashBudget } from "./budget.ts"
import { type ArraySize, DOMAIN, type TypedMember, readTypes, type TypedDataTypes } from "./types.ts"
import { readElementary, type StructValue, type TypedValue } from "./value.ts"

/** Typed data as it is hashed, and as policies see it. */
export type TypedData = {
  /** The types that domain and message contain, including EIP712Domain. */
  readonly types: TypedDataTypes
  readonly primaryType: string
  readonly domain: StructValue
  /** Paths of members that no type lists, which no signature covers; the first ones, at most MAX_UNSIGNED. */
  readonly unsigned: readonly string[]
  readonly message: StructValue
}

/**
 * Reads the JSON text {types, primaryType, domain, message}. Members that EIP-712 or the types
 * do not have are left out, as viem and MetaMask's eth_signTypedData_v4 leave them out of the digest. `budget`: shared by all
 * payloads of a request.
 * @throws {Fault payload}
 */
export function readTypedData(text: string, budget: HashBudget): TypedData {
  const json = requireObject(readPayloadJson(text), "the typed data")
  const missing = ["types", "primaryType"].find((name) => !Object.hasOwn(json, name))
  if (missing !== undefined) throw new Fault("payload", `the typed data has no ${missing}`)
  const domain = Object.hasOwn(json, "domain") ? requireObject(json["domain"], "domain") : {}
  const primaryType = json["primaryType"]
  const roots = typeof primaryType === "string" ? [DOMAIN, primaryType] : [DOMAIN]
  const types = domainTypes(readTypes(json["types"], roots), domain)
  if (typeof primaryType !== "string" || !types.has(primaryType))
    throw new Fault("payload", "primaryType is not one of types; name one of them")
  const values = new ValueReader(types, budget)
  return {
    types,
    primaryType,
    domain: values.struct(DOMAIN, domain, "domain"),
    // Typed data of a domain alone have no message in their digest.
    message: primaryType === DOMAIN ? new Map() : values.struct(primaryType, json["message"], "message"),
    unsigned: values.unsigned,
  }
}

/** Paths of unsigned members that are kept: more than a sentence names. */
const MAX_UNSIGNED = 4

/** Reads values by the types of their payload. `at`: path in the JSON. */
class ValueReader {
  /** Paths of members that the structs read so far have, and their types do not: the first ones. */
  readonly unsigned: string[] = []
  readonly #types: TypedDataTypes
  readonly #budget: HashBudget

  constructor(types: TypedDataTypes, budget: HashBudget) {
    this.#types = types
    this.#budget = budget
  }

  /** @throws {Fault payload} */
  struct(type: string, json: unknown, at: string): StructValue {
    const object = requireObject(json, at)
    const members = (this.#types.get(type) ?? []).map(({ name, type: { base, sizes } }) => {
      if (!Object.hasOwn(object, name)) throw new Fault("payload", `${at}.${name} is missing`)
      return [name, this.#value(base, sizes, memberOf(object, name), `${at}.${name}`)] as const
    })
    const read = new Map(members)
    const others = Object.keys(object).filter((name) => !read.has(name))
    const room = MAX_UNSIGNED - this.unsigned.length
    this.unsigned.push(...others.slice(0, room).map((name) => `${at}.${name}`))
    return read
  }

  /** `sizes`: outermost last. */
  #value(base: string, sizes: readonly ArraySize[], json: unknown, at: string): TypedValue {
    this.#budget.spendOnValue()
    if (sizes.length === 0) {
      if (this.#types.has(base)) return this.struct(base, json, at)
      if (typeof json === "string") this.#budget.spendOnBytes(json.length)
      return readElementary(base, json, at)
    }
    const size = sizes.at(-1)
    if (!Array.isArray(json)) throw new Fault("payload", `${at} is no list`)
    if (size !== undefined && json.length !== size)
      throw new Fault("payload", `${at} must have ${counted(size, "entry", "entries")}`)
    const inner = sizes.slice(0, -1)
    return json.map((entry, index) => this.#value(base, inner, entry, `${at}[${index}]`))
  }
}

/** The members of a domain in the standard's order (EIP-712, definition of domainSeparator). */
const DOMAIN_MEMBERS: readonly (readonly [name: string, type: string])[] = [
  ["name", "string"],
  ["version", "string"],
  ["chainId", "uint256"],
  ["verifyingContract", "address"],
  ["salt", "bytes32"],
]

/** True if the standard has this member of a domain, with this type. */
export function isStandardDomainMember({ name, type }: TypedMember): boolean {
  return DOMAIN_MEMBERS.some(([known, declared]) => known === name && declared === type.text)
}

/**
 * The types with EIP712Domain among them. If it is not listed, it is made of the domain's members, as viem and ethers do. A
 * listed one may have any members in any order, but no struct: MetaMask refuses such a domain.
 * @throws {Fault payload}
 */
function domainTypes(types: TypedDataTypes, domain: Readonly<Record<string, unknown>>): TypedDataTypes {
  const listed = types.get(DOMAIN)
  if (listed === undefined) return new Map([...types, [DOMAIN, membersOf(domain)]])
  const struct = listed.find(({ type }) => types.has(type.base))
  if (struct === undefined) return types
  throw new Fault(
    "payload",
    `${DOMAIN} has a member whose type is a struct, ${struct.type.text}; wallets disagree on its digest; use a type that is no struct`,
  )
}

function membersOf(domain: Readonly<Record<string, unknown>>): readonly TypedMember[] {
  const unknown = Object.keys(domain).find((name) => !DOMAIN_MEMBERS.some(([known]) => known === name))
  if (unknown !== undefined)
    throw new Fault(
      "payload",
      `domain has a member that EIP-712 does not define; list its members in ${DOMAIN}`,
    )
  return DOMAIN_MEMBERS.filter(([name]) => Object.hasOwn(domain, name)).map(([name, type]) => ({
    name,
    type: { text: type, base: type, sizes: [] },
  }))
}
