// Typed data and authorizations in words.
import { scalarText } from "../../../words/values.ts"
import { readAuthorization } from "../../../payload/authorization.ts"
import type { HashBudget } from "../../../payload/typed-data/budget.ts"
import { readTypedData, type TypedData } from "../../../payload/typed-data/read.ts"
import { userOperationOf } from "../../../payload/user-operation/typed-data.ts"
import { isArray, isStruct, type TypedValue } from "../../../payload/typed-data/value.ts"
import { chainText } from "../../../words/chains.ts"
import { listed, nameText, quoted } from "../../../words/text.ts"
import type { Content, DescriptionLine, NameOf, WordsContext } from "../../../words/words.ts"
import { addressText } from "./arguments.ts"
import { authorizationFacts } from "./ethereum.ts"
import { userOperationContent } from "./user-operation.ts"

const ADDRESS_BYTES = 20

/** EIP-712. Every value that is hashed is a fact of its own. @throws Fault payload */
export function typedDataContent(text: string, budget: HashBudget, context: WordsContext): Content {
  const typedData = readTypedData(text, budget)
  const operation = userOperationOf(typedData)
  const content =
    operation === undefined ? membersContent(typedData, context) : userOperationContent(operation, context)
  const { unsigned } = typedData
  if (unsigned.length === 0) return content
  const warning = `The signature does not cover ${someOf(unsigned)}, which no type lists.`
  return { ...content, warnings: [...content.warnings, warning] }
}

function membersContent({ primaryType, domain, message }: TypedData, { nameOf }: WordsContext): Content {
  const members = factsOf(message, "", nameOf)
  const application = domain.get("name")
  const chainId = domain.get("chainId")
  const contract = domain.get("verifyingContract")
  const of = [
    ...(application === undefined ? [] : [valueText(application, nameOf)]),
    ...(contract === undefined ? [] : [valueText(contract, nameOf)]),
    ...(typeof chainId === "bigint" ? [chainText(`eip155:${chainId}`)] : []),
  ]
  return {
    title: `Typed data: ${quoted(primaryType).slice(1, -1)}`,
    summary: `typed data ${quoted(primaryType).slice(1, -1)} for ${of.length === 0 ? "no application" : of.join(", ")}: ${listed(members.map(({ name, value }) => `${name} ${value}`))}`,
    facts: [...factsOf(domain, "Domain › ", nameOf), ...members],
    warnings: chainId === undefined ? ["Its domain names no chain: it may be valid on every chain."] : [],
  }
}

/** Paths that a sentence names. */
const MAX_NAMED = 3

function someOf(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).map(quoted)
  return paths.length > MAX_NAMED ? `${named.join(", ")} and others` : listed(named)
}

/** EIP-7702. @throws Fault payload */
export function authorizationContent(text: string, context: WordsContext): Content {
  const authorization = readAuthorization(text)
  const facts = authorizationFacts(authorization, context)
  return {
    title: "Authorization (EIP-7702)",
    summary: `an authorization (EIP-7702): ${facts.map(({ name, value }) => `${name.toLowerCase()} ${value}`).join(", ")}`,
    facts,
    warnings: ["The account will run the code of this contract."],
  }
}

function factsOf(value: TypedValue, name: string, nameOf: NameOf): DescriptionLine[] {
  if (isStruct(value)) {
    const under = name === "" || name.endsWith(" ") ? name : `${name}.`
    return Array.from(value, ([member, one]) => factsOf(one, `${under}${nameText(member)}`, nameOf)).flat()
  }
  if (isArray(value))
    return value.length === 0
      ? [{ name, value: "none" }]
      : value.flatMap((item, at) => factsOf(item, `${name}[${at}]`, nameOf))
  return [{ name, value: valueText(value, nameOf) }]
}

function valueText(value: TypedValue, nameOf: NameOf): string {
  if (typeof value === "string") return quoted(value)
  if (!(value instanceof Uint8Array)) return scalarText(value)
  const hex = `0x${Buffer.from(value).toString("hex")}`
  return value.length === ADDRESS_BYTES ? addressText(hex, nameOf) : hex
}
