// Calls of Ethereum contracts: by the organization's interface of the contract, else by the functions of the token standards.
import { type Abi, type AbiFunction, readAbi } from "../../contract-interface/abi.ts"
import type { AbiParameter } from "../../contract-interface/abi-type.ts"
import { type Argument, CallFault, decodeCall } from "../../contract-interface/decode-call.ts"
import { checksumAddress, ethereumAddressBytes } from "../../address/ethereum.ts"
import { counted, quoted } from "../text.ts"
import { digested, identified, scalarText } from "../values.ts"
import type { Fact, NameOf, WordsContext } from "../words.ts"

export type CallWords = {
  /** "" for a call without data. */
  readonly summary: string
  readonly facts: readonly Fact[]
  readonly warnings: readonly string[]
}

const NO_CALL: CallWords = { summary: "", facts: [], warnings: [] }
/** Digits of 0x and the selector. */
const SELECTOR_DIGITS = 10
/** Call data up to this many digits are shown whole. */
const MAX_DIGITS = 1024
const MAX_UINT256 = 2n ** 256n - 1n

/** A call in words. @param to the contract, lower-case hexadecimal with 0x @param data likewise */
export function callWords(to: string, data: string, context: WordsContext): CallWords {
  if (data === "0x") return NO_CALL
  const selector = data.slice(2, SELECTOR_DIGITS)
  const known = context.interfaces.abi(to)?.get(selector)
  const called = known ?? STANDARD.get(selector)
  const raw = [{ name: "Call data", value: data.length > MAX_DIGITS ? digested(data) : data }]
  const bytes = counted((data.length - 2) / 2, "byte")
  if (called === undefined) {
    const warning =
      "Nobody can see what this call does: the contract has no interface in this organization, and the function belongs to no token standard."
    const summary = `call an unknown function (${data.slice(0, SELECTOR_DIGITS)}, ${bytes}) of ${addressText(to, context.nameOf)}`
    return { summary, facts: raw, warnings: [warning] }
  }
  const source = known === undefined ? "the token standards" : sourceOf(context)
  try {
    const values = decodeCall(called, Buffer.from(data.slice(SELECTOR_DIGITS), "hex"))
    const summary = standardSummary(called.signature, values, to, context.nameOf)
    return {
      summary: summary ?? `call ${called.signature} of ${addressText(to, context.nameOf)}`,
      facts: [
        { name: "Function", value: `${called.signature}, by ${source}` },
        ...called.inputs.flatMap((input, index) =>
          argumentFacts(input, values[index], index, "", context.nameOf),
        ),
        ...raw,
      ],
      warnings: warningsOf(called.signature, values),
    }
  } catch (error) {
    if (!(error instanceof CallFault)) throw error
    const warning = `The call data do not fit ${called.signature} of ${source}: ${error.message}. Nobody can see what this call does.`
    return {
      summary: `call ${called.signature} with unreadable arguments (${bytes})`,
      facts: raw,
      warnings: [warning],
    }
  }
}

/** Whose word an interface is. */
export function sourceOf({ hasSignedInterfaces }: WordsContext): string {
  return hasSignedInterfaces
    ? "the organization's interface of the contract"
    : "an interface that the API states for the contract"
}

/** An address with the checksum of EIP-55 behind its name. @param address hexadecimal with 0x */
export function addressText(address: string, nameOf: NameOf): string {
  return identified(checksumAddress(address.slice(2)), nameOf)
}

/** The account of a request, in whatever spelling it names it. */
export function accountText(text: string, nameOf: NameOf): string {
  return ethereumAddressBytes(text) === undefined ? identified(text, nameOf) : addressText(text, nameOf)
}

function argumentFacts(
  { name, type }: AbiParameter,
  value: Argument | undefined,
  index: number,
  parent: string,
  nameOf: NameOf,
): Fact[] {
  const own = `${parent === "" ? "Argument " : `${parent}.`}${name === "" ? index + 1 : name}`
  return valueFacts({ name, type }, value, own, nameOf)
}

function valueFacts(
  { name, type }: AbiParameter,
  value: Argument | undefined,
  place: string,
  nameOf: NameOf,
): Fact[] {
  const items = Array.isArray(value) ? (value as readonly Argument[]) : undefined
  if (items !== undefined && type.is === "tuple")
    return type.members.flatMap((member, at) => argumentFacts(member, items[at], at, place, nameOf))
  if (items !== undefined && type.is === "array")
    return items.length === 0
      ? [{ name: place, value: "none" }]
      : items.flatMap((item, at) => valueFacts({ name, type: type.of }, item, `${place}[${at}]`, nameOf))
  return [{ name: place, value: argumentText(type.is === "address", value, nameOf) }]
}

function argumentText(isAddress: boolean, value: Argument | undefined, nameOf: NameOf): string {
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object" || !("hex" in value)) return scalarText(value)
  return isAddress ? addressText(value.hex, nameOf) : value.hex
}

/** Functions that move a token or let others move it: ERC-20 and its allowances, ERC-721, ERC-1155, ERC-2612. */
const STANDARD: Abi = readAbi(
  JSON.stringify([
    declared("transfer", "to address", "amount uint256"),
    declared("transferFrom", "from address", "to address", "amount uint256"),
    declared("approve", "spender address", "amount uint256"),
    declared("increaseAllowance", "spender address", "added uint256"),
    declared("decreaseAllowance", "spender address", "subtracted uint256"),
    declared(
      "permit",
      "owner address",
      "spender address",
      "value uint256",
      "deadline uint256",
      "v uint8",
      "r bytes32",
      "s bytes32",
    ),
    declared("setApprovalForAll", "operator address", "approved bool"),
    declared("safeTransferFrom", "from address", "to address", "tokenId uint256"),
    declared("safeTransferFrom", "from address", "to address", "tokenId uint256", "data bytes"),
    declared("safeTransferFrom", "from address", "to address", "id uint256", "amount uint256", "data bytes"),
    declared(
      "safeBatchTransferFrom",
      "from address",
      "to address",
      "ids uint256[]",
      "amounts uint256[]",
      "data bytes",
    ),
    declared("mint", "to address", "amount uint256"),
    declared("burn", "amount uint256"),
    declared("deposit"),
    declared("withdraw", "amount uint256"),
  ]),
)

function declared(name: string, ...inputs: readonly string[]) {
  return {
    type: "function",
    name,
    inputs: inputs.map((input) => {
      const [inputName, type] = input.split(" ")
      return { name: inputName, type }
    }),
  }
}

type Summary = (values: readonly Argument[], token: string, nameOf: NameOf) => string

const address = (value: Argument | undefined, nameOf: NameOf) => argumentText(true, value, nameOf)
const units = (value: Argument | undefined) =>
  value === MAX_UINT256 ? "any number of base units" : counted(value as bigint, "base unit")

/** Token calls in words. A token's decimals are not in the bytes: amounts are base units. */
const SUMMARIES: { readonly [signature: string]: Summary } = {
  "transfer(address,uint256)": ([to, amount], token, nameOf) =>
    `transfer ${units(amount)} of token ${token} to ${address(to, nameOf)}`,
  "transferFrom(address,address,uint256)": ([from, to, amount], token, nameOf) =>
    `transfer ${units(amount)} (or the item with this id) of token ${token} from ${address(from, nameOf)} to ${address(to, nameOf)}`,
  "approve(address,uint256)": ([spender, amount], token, nameOf) =>
    `let ${address(spender, nameOf)} take ${units(amount)} of token ${token}`,
  "increaseAllowance(address,uint256)": ([spender, amount], token, nameOf) =>
    `let ${address(spender, nameOf)} take ${units(amount)} more of token ${token}`,
  "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)": (
    [owner, spender, amount],
    token,
    nameOf,
  ) =>
    `let ${address(spender, nameOf)} take ${units(amount)} of token ${token} from ${address(owner, nameOf)}`,
  "setApprovalForAll(address,bool)": ([operator, approved], token, nameOf) =>
    approved === true
      ? `let ${address(operator, nameOf)} move every item of token ${token}`
      : `let ${address(operator, nameOf)} move no item of token ${token} any longer`,
  "safeTransferFrom(address,address,uint256)": transferOfItem,
  "safeTransferFrom(address,address,uint256,bytes)": transferOfItem,
  "safeTransferFrom(address,address,uint256,uint256,bytes)": ([from, to, id, amount], token, nameOf) =>
    `transfer ${units(amount)} of item ${scalarText(id)} of token ${token} from ${address(from, nameOf)} to ${address(to, nameOf)}`,
}

function transferOfItem([from, to, id]: readonly Argument[], token: string, nameOf: NameOf): string {
  return `transfer item ${scalarText(id)} of token ${token} from ${address(from, nameOf)} to ${address(to, nameOf)}`
}

function standardSummary(
  signature: AbiFunction["signature"],
  values: readonly Argument[],
  to: string,
  nameOf: NameOf,
): string | undefined {
  const summary = Object.hasOwn(SUMMARIES, signature) ? SUMMARIES[signature] : undefined
  return summary?.(values, addressText(to, nameOf), nameOf)
}

/** Functions with which others may move tokens later, by the place of the amount; -1: no amount bounds them. */
const ALLOWANCES: { readonly [signature: string]: number } = {
  "approve(address,uint256)": 1,
  "increaseAllowance(address,uint256)": 1,
  "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)": 2,
  "setApprovalForAll(address,bool)": -1,
}

function warningsOf(signature: string, values: readonly Argument[]): string[] {
  const place = Object.hasOwn(ALLOWANCES, signature) ? ALLOWANCES[signature] : undefined
  if (place === undefined || values.includes(false)) return []
  const isUnlimited = place < 0 || values[place] === MAX_UINT256
  return [
    `The other address can take these tokens later, without another signature${isUnlimited ? ", and without limit" : ""}.`,
  ]
}
