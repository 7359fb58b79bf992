// Calls of tokens in words, by the functions of the standards: EIP-20 and its extensions, ERC-721, ERC-1155.
import type { AbiFunction } from "../../../contract-interface/abi.ts"
import type { Argument } from "../../../contract-interface/decode-call.ts"
import { counted } from "../../../counted.ts"
import { scalarText } from "../../../words/values.ts"
import type { NameOf } from "../../../words/words.ts"
import { argumentText } from "./arguments.ts"

const MAX_UINT256 = 2n ** 256n - 1n

/** Functions that ERC-721 has too, with the id of an item in place of the amount. */
const OF_ITEMS: ReadonlySet<string> = new Set([
  "transferFrom(address,address,uint256)",
  "approve(address,uint256)",
])

/**
 * A call of a standard function in words; undefined: it moves nothing that its arguments name. A token's decimals are in no byte of a
 * call, so amounts are base units.
 */
export function tokenEffect(
  { name, signature, inputs }: AbiFunction,
  values: readonly Argument[],
  token: string,
  nameOf: NameOf,
): string | undefined {
  const argument = (parameter: string) => values[inputs.findIndex((input) => input.name === parameter)]
  const address = (parameter: string) => argumentText(true, argument(parameter), nameOf)
  const [amount, id] = [argument("value"), argument("id")]
  const from = argument("from") === undefined ? "" : ` from ${address("from")}`
  // No item has the greatest number as its id: tokens read it as "without limit".
  const item = OF_ITEMS.has(signature) && amount !== MAX_UINT256 ? " (or the item with this id)" : ""
  const of = `${id === undefined ? "" : `item ${scalarText(id)} of `}token ${token}`
  if (argument("operator") !== undefined && argument("approved") !== undefined)
    return `let ${address("operator")} move ${argument("approved") === true ? "every item" : "no item any longer"} of token ${token}`
  if (argument("spender") !== undefined) {
    if (typeof amount !== "bigint") return undefined
    const more = name.startsWith("increase") ? " more" : ""
    return `let ${address("spender")} take ${units(amount)}${more}${item} of ${of}`
  }
  const what = typeof amount === "bigint" ? `${units(amount)}${item} of ${of}` : of
  if (argument("to") !== undefined && (amount !== undefined || id !== undefined))
    return `${name === "mint" ? "mint" : "transfer"} ${what}${from} to ${address("to")}`
  return typeof amount === "bigint" ? `${name} ${what}${from}` : undefined
}

function units(amount: bigint): string {
  return amount === MAX_UINT256 ? "any number of base units" : counted(amount, "base unit")
}

/** Warns of calls by which others may move tokens later. */
export function allowanceWarnings({ name, inputs }: AbiFunction, values: readonly Argument[]): string[] {
  const argument = (parameter: string) => values[inputs.findIndex((input) => input.name === parameter)]
  const isOfAll = name === "setApprovalForAll" && argument("approved") === true
  const amount = argument("spender") === undefined ? undefined : argument("value")
  if (!isOfAll && amount === undefined) return []
  const isUnlimited = isOfAll || amount === MAX_UINT256
  const limit = isUnlimited ? ", and without limit" : ""
  return [`The other address can take these tokens later, without another signature${limit}.`]
}
