import { Fault, isFault } from "../../../fault.ts"
import { tronAddressOf, TRON_VERSION } from "../../../address/tron.ts"
import type { AbiFunction } from "../../../contract-interface/abi.ts"
import type { AbiParameter } from "../../../contract-interface/abi-type.ts"
import { type Argument, decodeCall } from "../../../contract-interface/decode-call.ts"
import { tokenFunctions } from "../../../contract-interface/token-functions.ts"
import { type Members, members, type Value } from "../../../policy/language/value.ts"

/** Function and arguments of a call. */
type TokenCall = {
  /** Empty for a function that is not known. */
  readonly function_name: string
  /** The selector: 8 hexadecimal digits; empty where the data are shorter. */
  readonly function_signature: string
  /** Addresses are Base58Check, bytes hexadecimal without 0x. */
  readonly contract_call_args: Members
}

const SELECTOR_DIGITS = 8
const WORD = 32
/** Bytes of a word in front of an address. */
const PADDING = 12

/**
 * A call of a contract. Functions of tokens are known by their selectors, whatever contract they go to.
 * @param data of the call, hexadecimal without 0x
 * @throws Fault transaction for arguments that do not fit the function of a token; such a call is never signed
 */
export function tokenCall(data: string): TokenCall {
  const selector = data.slice(0, SELECTOR_DIGITS)
  const called = tokenFunctions.get(selector)
  if (called === undefined) {
    const function_signature = selector.length < SELECTOR_DIGITS ? "" : selector
    return { function_name: "", function_signature, contract_call_args: members({}) }
  }
  try {
    const bytes = withoutVersions(called, Buffer.from(data.slice(SELECTOR_DIGITS), "hex"))
    const values = decodeCall(called, bytes)
    const named = called.inputs.map((input, index) => [input.name, toValue(input, values[index])] as const)
    return {
      function_name: called.name,
      function_signature: called.selector,
      contract_call_args: new Map<string, Value>(named),
    }
  } catch (cause) {
    if (!isFault(cause, "call")) throw cause
    const sentence = `the call does not fit ${called.signature}: ${cause.message}`
    throw new Fault("transaction", sentence, cause.place, cause)
  }
}

/** Addresses with 41 in front are the same to the TVM, which reads 20 bytes. */
function withoutVersions({ inputs }: AbiFunction, data: Uint8Array): Uint8Array {
  for (const [index, { type }] of inputs.entries()) {
    const at = index * WORD + PADDING - 1
    if (type.is === "address" && data[at] === TRON_VERSION) data[at] = 0
  }
  return data
}

function toValue({ type }: AbiParameter, argument: Argument | undefined): Value {
  if (typeof argument !== "object" || !("hex" in argument))
    return typeof argument === "bigint" ? argument : ""
  const hex = argument.hex.slice("0x".length)
  return type.is === "address" ? tronAddressOf(Buffer.from(hex, "hex")) : hex
}
