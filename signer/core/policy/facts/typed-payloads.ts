import { memberOf, PayloadFault, readInteger, requireObject } from "../../payload/fault.ts"
import { readAuthorization } from "../../payload/authorization.ts"
import type { HashBudget } from "../../payload/typed-data/hash.ts"
import { readTypedData } from "../../payload/typed-data/read.ts"
import type { MemberType as Declared, Types } from "../../payload/typed-data/types.ts"
import { Caseless, type Members, members, type Value } from "../expression.ts"

/** The root `eth.eip_7702_authorization`, from the JSON text to be signed. @throws {PayloadFault} */
export function authorizationValue(text: string): Members {
  const { address, chainId, nonce } = readAuthorization(text)
  return members({ address, chain_id: chainId, nonce })
}

/**
 * The root `eth.eip_712`, from the JSON text to be signed. The message shows only the members that are hashed; members
 * that the type does not declare are left out. Values keep their JSON form, so an integer sent as text is text. Addresses
 * and bytes compare without regard to case. A member that the domain does not have is empty.
 * @param budget values that the request may still have
 * @throws {PayloadFault} a text that does not fit its types; it is never signed
 */
export function typedDataValue(text: string, budget: HashBudget): Members {
  const { types, primaryType, domain, message } = readTypedData(text)
  return members({
    primary_type: primaryType,
    domain: members({
      name: textOf(memberOf(domain, "name"), "domain.name"),
      version: textOf(memberOf(domain, "version"), "domain.version"),
      chain_id: integerOf(memberOf(domain, "chainId"), "domain.chainId"),
      verifying_contract: textOf(memberOf(domain, "verifyingContract"), "domain.verifyingContract"),
    }),
    message: new MessageReader(types, budget).struct(primaryType, message, "message"),
  })
}

type MemberType = Pick<Declared, "base" | "sizes">

class MessageReader {
  readonly #types: Types
  readonly #budget: HashBudget

  constructor(types: Types, budget: HashBudget) {
    this.#types = types
    this.#budget = budget
  }

  struct(type: string, json: unknown, at: string): Members {
    const object = requireObject(json, at)
    const entries = (this.#types.get(type) ?? []).map((member) => {
      const { name } = member
      if (!Object.hasOwn(object, name)) throw new PayloadFault(`${at}.${name} is missing`)
      return [name, this.#value(member.type, memberOf(object, name), `${at}.${name}`)] as const
    })
    return new Map(entries)
  }

  /** `sizes`: the outermost list last. */
  #value({ base, sizes }: MemberType, json: unknown, at: string): Value {
    this.#budget.spendOnValue()
    if (sizes.length > 0) {
      if (!Array.isArray(json)) throw new PayloadFault(`${at} is no list`)
      const inner = sizes.slice(0, -1)
      return json.map((entry, index) => this.#value({ base, sizes: inner }, entry, `${at}[${index}]`))
    }
    return this.#types.has(base) ? this.struct(base, json, at) : elementary(base, json, at)
  }
}

function elementary(type: string, json: unknown, at: string): Value {
  switch (typeof json) {
    case "boolean":
      return json
    case "string":
      return isCaseless(type) ? new Caseless(json) : json
    case "number":
      return integerOf(json, at)
    default:
      throw new PayloadFault(`${at} is no ${type}`)
  }
}

function isCaseless(type: string): boolean {
  return type === "address" || type.startsWith("bytes")
}

function textOf(json: unknown, at: string): string {
  if (json === undefined) return ""
  if (typeof json === "string") return json
  throw new PayloadFault(`${at} is no text`)
}

function integerOf(json: unknown, at: string): bigint {
  const value = json === undefined ? 0n : readInteger(json)
  if (value === undefined) throw new PayloadFault(`${at} is no integer`)
  return value
}
