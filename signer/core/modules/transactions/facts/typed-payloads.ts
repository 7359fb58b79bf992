import { readAuthorization } from "../../../payload/authorization.ts"
import type { HashBudget } from "../../../payload/typed-data/budget.ts"
import { isStandardDomainMember, readTypedData } from "../../../payload/typed-data/read.ts"
import { DOMAIN } from "../../../payload/typed-data/types.ts"
import { isArray, isStruct, type TypedValue } from "../../../payload/typed-data/value.ts"
import type { Authorization } from "../../../transaction/ethereum/authorization.ts"
import { Caseless, type Members, members, type Value } from "../../../policy/expression.ts"

/** The root `eth.eip_7702_authorization`, from the JSON text to be signed. @throws {Fault payload} */
export function authorizationValue(text: string): Members {
  return signedAuthorizationValue(readAuthorization(text))
}

/** The same root, of an authorization that is signed with a transaction. */
export function signedAuthorizationValue({ address, chainId, nonce }: Authorization): Members {
  return members({ address, chain_id: chainId, nonce })
}

/**
 * The root `eth.eip_712`, from the JSON text to be signed. It has exactly the hashed values, so payloads with one digest
 * have the same values. Addresses and bytes are lower-case hexadecimal and compare without regard to case. A member that the domain
 * does not have, or has with another type than the standard's, is empty.
 * @param budget values that the request may still have
 * @throws {Fault payload} a text that does not fit its types; it is never signed
 */
export function typedDataValue(text: string, budget: HashBudget): Members {
  const { types, primaryType, domain, message } = readTypedData(text, budget)
  const standard = new Set(
    types
      .get(DOMAIN)
      ?.filter(isStandardDomainMember)
      .map(({ name }) => name),
  )
  const domainValue = (name: string, empty: Value) => {
    const value = standard.has(name) ? domain.get(name) : undefined
    return value === undefined ? empty : policyValue(value)
  }
  return members({
    primary_type: primaryType,
    domain: members({
      name: domainValue("name", ""),
      version: domainValue("version", ""),
      chain_id: domainValue("chainId", 0n),
      verifying_contract: domainValue("verifyingContract", ""),
    }),
    message: policyValue(message),
  })
}

function policyValue(value: TypedValue): Value {
  if (value instanceof Uint8Array) return new Caseless(`0x${Buffer.from(value).toString("hex")}`)
  if (isArray(value)) return value.map(policyValue)
  if (isStruct(value)) return new Map(Array.from(value, ([name, member]) => [name, policyValue(member)]))
  return value
}
