import { type Argument, decodeCall } from "./decode-call.ts"
import { type AbiFunction, readableFunctions, readAbi } from "./abi.ts"
import { isFault } from "../fault.ts"

/** A call that an account makes. `to` and `data`: lower-case hexadecimal with 0x; `value` in wei. */
export type AccountCall = { readonly to: string; readonly value: bigint; readonly data: string }

/** The calls, or the reason why they cannot be read: the end of a sentence. */
export type ExecutedCalls = { readonly calls: readonly AccountCall[] } | { readonly unread: string }

/** Calls of one operation that are read: more than a block's gas pays for in use, and few enough to look at. */
const MAX_CALLS = 256
const SELECTOR_DIGITS = 10

type Reader = (values: readonly Argument[]) => ExecutedCalls

const address = (name: string) => ({ name, type: "address" })
const uint = (name: string) => ({ name, type: "uint256" })
const bytes = (name: string) => ({ name, type: "bytes" })
const CALL = [address("to"), uint("value"), bytes("data")]
const CALLS = { name: "calls", type: "tuple[]", components: CALL }
const lists = (...types: readonly string[]) => types.map((type, index) => ({ name: `list${index}`, type }))
const OPERATION = { name: "operation", type: "uint8" }

const single: Reader = ([to, value, data]) => ({ calls: [callOf([to, value, data])] })
const batch: Reader = ([calls]) => bounded(listOf(calls).map((one) => callOf(listOf(one))))

/** SimpleAccount of 0.7 takes an empty list of values as zeros. */
const inLists: Reader = ([to, values, data]) => {
  const [addresses, amounts, calldata] = [listOf(to), listOf(values), listOf(data)]
  const isEven = addresses.length === calldata.length && [0, addresses.length].includes(amounts.length)
  if (!isEven) return { unread: "its lists differ in length" }
  return bounded(addresses.map((one, at) => callOf([one, amounts[at] ?? 0n, calldata[at]])))
}
const withoutValues: Reader = ([to, data]) => inLists([to ?? [], [], data ?? []])

/** The module of Safe: `operation` 1 runs the code of `to` as the account's own. */
const ofSafe: Reader = ([to, value, data, operation]) =>
  operation === 0n ? single([to ?? "", value ?? 0n, data ?? ""]) : { unread: DELEGATE_CALL }

const DELEGATE_CALL = "it runs the code of another contract as the account's own (delegatecall)"

/**
 * ERC-7579: `call type(1) || exec type(1) || unused(4) || selector(4) || payload(22)`. A selector changes what the data mean, so only
 * the one of the standard is read.
 */
const byMode: Reader = ([mode, data]) => {
  const [text, packed] = [hexOf(mode).slice(2), hexOf(data)]
  if (text.slice(0, 2) === "ff") return { unread: DELEGATE_CALL }
  if (!/^0[01]0[01]0{60}$/.test(text)) return { unread: `its mode ${text} (ERC-7579) is not known` }
  if (text.startsWith("01")) return batch(decodeCall({ inputs: BATCH.inputs }, toBytes(packed)))
  // target(20) || value(32) || data
  if (packed.length < 2 + 104) return { unread: "its data are too short for a call" }
  const value = BigInt(`0x${packed.slice(42, 106)}`)
  return { calls: [{ to: packed.slice(0, 42), value, data: `0x${packed.slice(106)}` }] }
}

/** Functions by which common accounts make calls, with what reads their arguments. */
const DECLARED: readonly (readonly [name: string, inputs: readonly object[], read: Reader])[] = [
  // SimpleAccount, LightAccount, Coinbase Smart Wallet, Solady, Simple7702Account.
  ["execute", CALL, single],
  ["executeBatch", [CALLS], batch],
  ["executeBatch", lists("address[]", "uint256[]", "bytes[]"), inLists],
  ["executeBatch", lists("address[]", "bytes[]"), withoutValues],
  // Accounts of ERC-7579: Kernel, Nexus, Safe with its adapter.
  ["execute", [{ name: "mode", type: "bytes32" }, bytes("executionCalldata")], byMode],
  // Safe4337Module.
  ["executeUserOp", [...CALL, OPERATION], ofSafe],
  ["executeUserOpWithErrorString", [...CALL, OPERATION], ofSafe],
  // Biconomy.
  ["execute_ncC", CALL, single],
  ["executeBatch_y6U", lists("address[]", "uint256[]", "bytes[]"), inLists],
]

const FUNCTIONS: ReadonlyMap<string, { readonly called: AbiFunction; readonly read: Reader }> = new Map(
  DECLARED.map(([name, inputs, read]) => {
    const called = declare(name, inputs)
    return [called.selector, { called, read }]
  }),
)
const BATCH = declare("executionCalldata", [CALLS])

function declare(name: string, inputs: readonly object[]): AbiFunction {
  const [declared] = readableFunctions(readAbi(JSON.stringify([{ type: "function", name, inputs }]))).values()
  if (declared === undefined) throw new TypeError(`the declaration of ${name} is unreadable`)
  return declared
}

/**
 * The calls that an account makes by the `callData` of its user operation, if its functions do what those of common accounts do. No
 * call data: none.
 */
export function executedCalls(callData: string): ExecutedCalls {
  if (callData === "0x") return { calls: [] }
  const found = FUNCTIONS.get(callData.slice(2, SELECTOR_DIGITS))
  if (found === undefined)
    return { unread: `function ${callData.slice(0, SELECTOR_DIGITS)} is none of a common account` }
  try {
    return found.read(decodeCall(found.called, toBytes(`0x${callData.slice(SELECTOR_DIGITS)}`)))
  } catch (fault) {
    if (!isFault(fault, "call")) throw fault
    return { unread: `its arguments do not fit ${found.called.signature}` }
  }
}

function bounded(calls: readonly AccountCall[]): ExecutedCalls {
  return calls.length <= MAX_CALLS ? { calls } : { unread: `it makes more than ${MAX_CALLS} calls` }
}

// decodeCall returns values in the forms of their types.

function callOf([to, value, data]: readonly (Argument | undefined)[]): AccountCall {
  return { to: hexOf(to), value: typeof value === "bigint" ? value : 0n, data: hexOf(data) }
}

function listOf(value: Argument | undefined): readonly Argument[] {
  return Array.isArray(value) ? (value as readonly Argument[]) : []
}

function hexOf(value: Argument | undefined): string {
  return typeof value === "object" && "hex" in value ? value.hex : "0x"
}

function toBytes(hex: string): Uint8Array {
  return Buffer.from(hex.slice(2), "hex")
}
