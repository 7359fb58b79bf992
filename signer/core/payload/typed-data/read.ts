import { PayloadFault, readPayloadJson, requireMembers, requireObject } from "../fault.ts"
import { DOMAIN, type Member, readTypes, type Types } from "./types.ts"

/** Typed data in parts. Domain and message are as in the JSON text, not yet checked against the types. */
export type TypedData = {
  /** EIP712Domain among them. */
  readonly types: Types
  readonly primaryType: string
  readonly domain: Readonly<Record<string, unknown>>
  readonly message: unknown
}

/** Reads the JSON text {types, primaryType, domain, message}. @throws {PayloadFault} */
export function readTypedData(text: string): TypedData {
  const json = requireObject(readPayloadJson(text), "the typed data")
  requireMembers(json, ["types", "primaryType", "domain", "message"], "the typed data")
  const domain = requireObject(json["domain"], "domain")
  const types = domainTypes(readTypes(json["types"]), domain)
  const primaryType = json["primaryType"]
  if (typeof primaryType !== "string" || primaryType === DOMAIN || !types.has(primaryType))
    throw new PayloadFault("primaryType is not one of the types")
  return { types, primaryType, domain, message: json["message"] }
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
 * The types with EIP712Domain among them: as listed, if each member is one of the standard's with its type; else
 * made from the domain's members, as libraries do that do not list it. A member of the domain that the list lacks is a
 * fault: only some libraries would hash it, and a policy that reads the domain would treat it as signed.
 * @throws {PayloadFault}
 */
function domainTypes(types: Types, domain: Readonly<Record<string, unknown>>): Types {
  const listed = types.get(DOMAIN)
  if (listed === undefined) return new Map([...types, [DOMAIN, membersOf(domain)]])
  for (const { name, type } of listed) {
    if (!DOMAIN_MEMBERS.some(([known, declared]) => known === name && declared === type.text))
      throw new PayloadFault(`${DOMAIN} has a member that EIP-712 does not define`)
  }
  const unlisted = Object.keys(domain).find((member) => !listed.some(({ name }) => name === member))
  if (unlisted !== undefined) throw new PayloadFault(`domain has a member that ${DOMAIN} does not list`)
  return types
}

function membersOf(domain: Readonly<Record<string, unknown>>): readonly Member[] {
  const unknown = Object.keys(domain).find((name) => !DOMAIN_MEMBERS.some(([known]) => known === name))
  if (unknown !== undefined) throw new PayloadFault("domain has a member that EIP-712 does not define")
  return DOMAIN_MEMBERS.filter(([name]) => Object.hasOwn(domain, name)).map(([name, type]) => ({
    name,
    type: { text: type, base: type, sizes: [] },
  }))
}
