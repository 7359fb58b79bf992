// Calls of Ethereum contracts: by the organization's interface of the contract, else by the functions of the token standards.
import { isFault } from "../../../fault.ts"
import type { AbiFunction } from "../../../contract-interface/abi.ts"
import { decodeCall } from "../../../contract-interface/decode-call.ts"
import { isUnreadable } from "../../../contract-interface/fault.ts"
import { standardFunction } from "../../../contract-interface/token-functions.ts"
import { counted } from "../../../counted.ts"
import { quoted } from "../../../words/text.ts"
import { digested } from "../../../words/values.ts"
import type { DescriptionLine, WordsContext } from "../../../words/words.ts"
import { addressText, argumentsFacts } from "./arguments.ts"
import { allowanceWarnings, tokenEffect } from "./token-effects.ts"

export type CallWords = {
  /** "" for a call without data. */
  readonly summary: string
  readonly facts: readonly DescriptionLine[]
  readonly warnings: readonly string[]
}

const NO_CALL: CallWords = { summary: "", facts: [], warnings: [] }
/** Digits of 0x and the selector. */
const SELECTOR_DIGITS = 10
/** Call data up to this many digits are shown whole. */
const MAX_DIGITS = 1024
const UNKNOWN =
  "Nobody can see what this call does: the contract has no interface in this organization, and the function belongs to no token standard."

/** A call in words. @param to the contract, lower-case hexadecimal with 0x @param data likewise */
export function callWords(to: string, data: string, context: WordsContext): CallWords {
  if (data === "0x") return NO_CALL
  const selector = data.slice(2, SELECTOR_DIGITS)
  const contract = addressText(to, context.nameOf)
  const known = context.interfaces.abi(to)?.functions.get(selector)
  const standard = standardFunction(selector)
  const called = known ?? standard
  const raw = [{ name: "Call data", value: data.length > MAX_DIGITS ? digested(data) : data }]
  const bytes = counted((data.length - 2) / 2, "byte")
  if (called === undefined) {
    const summary = `call an unknown function (${data.slice(0, SELECTOR_DIGITS)}, ${bytes}) of ${contract}`
    return { summary, facts: raw, warnings: [UNKNOWN] }
  }
  if (isUnreadable(called)) {
    const warning = `The arguments of ${quoted(called.signature)} cannot be read by ${sourceOf(context)}: ${quoted(called.fault.message)}. Nobody can see what this call does.`
    const what = called.name === undefined ? "one of several functions" : called.name
    const summary = `call ${what}, whose arguments cannot be read (${data.slice(0, SELECTOR_DIGITS)}, ${bytes}), of ${contract}`
    return { summary, facts: raw, warnings: [warning] }
  }
  const source = known === undefined ? "the token standards" : sourceOf(context)
  try {
    const values = decodeCall(called, Buffer.from(data.slice(SELECTOR_DIGITS), "hex"))
    // Two functions can have one selector: the organization's interface says which one the contract has.
    const token = standard?.signature === called.signature ? standard : undefined
    const effect = token && tokenEffect(token, values, contract, context.nameOf)
    return {
      summary: effect ?? `call ${called.signature} of ${contract}`,
      facts: [
        { name: "Function", value: `${called.signature}, by ${source}` },
        ...argumentsFacts(called.inputs, values, context.nameOf),
        ...raw,
      ],
      warnings: token === undefined ? sharedSelector(standard) : allowanceWarnings(token, values),
    }
  } catch (error) {
    if (!isFault(error, "call")) throw error
    const warning = `The call data do not fit ${called.signature} of ${source}: ${error.message}. Nobody can see what this call does.`
    const summary = `call ${called.signature} of ${contract} with unreadable arguments (${bytes})`
    return { summary, facts: raw, warnings: [warning] }
  }
}

/** Warns if a token function has the call's selector: a contract may implement that one. @param standard the token function */
function sharedSelector(standard: AbiFunction | undefined): string[] {
  if (standard === undefined) return []
  return [`Tokens have ${standard.signature} with the same selector: the contract may run that instead.`]
}

/** The source of an interface, in words. */
export function sourceOf({ hasSignedInterfaces }: WordsContext): string {
  return hasSignedInterfaces
    ? "the organization's interface of the contract"
    : "an interface that the API states for the contract"
}
