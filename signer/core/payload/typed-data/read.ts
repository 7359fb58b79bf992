import { memberOf, PayloadFault, readPayloadJson, requireMembers, requireObject } from "../fault.ts"
import type { HashBudget } from "./budget.ts"
import { type ArraySize, DOMAIN, type Member, readTypes, type Types } from "./types.ts"
import { readElementary, type StructValue, type TypedValue } from "./value.ts"

/** Typed data as it is hashed, and as policies see it. */
export type TypedData = {
  /** EIP712Domain among them. */
  readonly types: Types
  readonly primaryType: string
  readonly domain: StructValue
  readonly message: StructValue
}

/**
 * Reads the JSON text {types, primaryType, domain, message}. Members of a struct that its type does not have are left
 * out, as viem and ethers do. `budget`: shared by all payloads of a request.
 * @throws {PayloadFault}
 */
export function readTypedData(text: string, budget: HashBudget): TypedData {
  const json = requireObject(readPayloadJson(text), "the typed data")
  requireMembers(json, ["types", "primaryType", "domain", "message"], "the typed data")
  const domain = requireObject(json["domain"], "domain")
  const types = domainTypes(readTypes(json["types"]), domain)
  const primaryType = json["primaryType"]
  if (typeof primaryType !== "string" || primaryType === DOMAIN || !types.has(primaryType))
    throw new PayloadFault("primaryType is not one of the types")
  const values = new ValueReader(types, budget)
  return {
    types,
    primaryType,
    domain: values.struct(DOMAIN, domain, "domain"),
    message: values.struct(primaryType, json["message"], "message"),
  }
}

/** Reads values by the types of their payload. `at`: path in the JSON. */
class ValueReader {
  readonly #types: Types
  readonly #budget: HashBudget

  constructor(types: Types, budget: HashBudget) {
    this.#types = types
    this.#budget = budget
  }

  /** @throws {PayloadFault} */
  struct(type: string, json: unknown, at: string): StructValue {
    const object = requireObject(json, at)
    const members = (this.#types.get(type) ?? []).map(({ name, type: { base, sizes } }) => {
      if (!Object.hasOwn(object, name)) throw new PayloadFault(`${at}.${name} is missing`)
      return [name, this.#value(base, sizes, memberOf(object, name), `${at}.${name}`)] as const
    })
    return new Map(members)
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
    if (!Array.isArray(json)) throw new PayloadFault(`${at} is no list`)
    if (size !== undefined && json.length !== size) throw new PayloadFault(`${at} must have ${size} entries`)
    const inner = sizes.slice(0, -1)
    return json.map((entry, index) => this.#value(base, inner, entry, `${at}[${index}]`))
  }
}

/** The members a domain may have, in the standard's order (EIP-712, definition of domainSeparator). */
const DOMAIN_MEMBERS: readonly (readonly [name: string, type: string])[] = [
  ["name", "string"],
  ["version", "string"],
  ["chainId", "uint256"],
  ["verifyingContract", "address"],
  ["salt", "bytes32"],
]

/**
 * The types with EIP712Domain among them. Without one, it is made from the domain's members, as libraries do. A listed
 * one must have the standard's members and types, in the standard's order. A member of the domain that the list lacks
 * is a fault: only some libraries would hash it, and a policy that reads the domain would treat it as signed.
 * @throws {PayloadFault}
 */
function domainTypes(types: Types, domain: Readonly<Record<string, unknown>>): Types {
  const listed = types.get(DOMAIN)
  if (listed === undefined) return new Map([...types, [DOMAIN, membersOf(domain)]])
  for (const { name, type } of listed) {
    if (!DOMAIN_MEMBERS.some(([known, declared]) => known === name && declared === type.text))
      throw new PayloadFault(`${DOMAIN} has a member that EIP-712 does not define`)
  }
  requireStandardOrder(listed)
  const unlisted = Object.keys(domain).find((member) => !listed.some(({ name }) => name === member))
  if (unlisted !== undefined) throw new PayloadFault(`domain has a member that ${DOMAIN} does not list`)
  return types
}

/** viem hashes the members in the order listed, ethers in the standard's. @throws {PayloadFault} */
function requireStandardOrder(listed: readonly Member[]): void {
  const names = DOMAIN_MEMBERS.map(([name]) => name)
  const places = listed.map(({ name }) => names.indexOf(name))
  const late = places.findIndex((place, index) => place < (places[index - 1] ?? 0))
  if (late < 0) return
  const [before, after] = [listed[late - 1]?.name, listed[late]?.name]
  const sentence = `${DOMAIN} lists ${before} before ${after}; list its members in the order ${names.join(", ")}`
  throw new PayloadFault(sentence, { code: "DOMAIN_TYPE_ORDER_INVALID" })
}

function membersOf(domain: Readonly<Record<string, unknown>>): readonly Member[] {
  const unknown = Object.keys(domain).find((name) => !DOMAIN_MEMBERS.some(([known]) => known === name))
  if (unknown !== undefined) throw new PayloadFault("domain has a member that EIP-712 does not define")
  return DOMAIN_MEMBERS.filter(([name]) => Object.hasOwn(domain, name)).map(([name, type]) => ({
    name,
    type: { text: type, base: type, sizes: [] },
  }))
}
