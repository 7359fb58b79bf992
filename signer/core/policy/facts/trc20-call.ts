import { tronAddressOf, TRON_VERSION } from "../../address/tron.ts"
import { type Abi, type AbiFunction, readAbi } from "../../contract-interface/abi.ts"
import { type Argument, CallFault, decodeCall } from "../../contract-interface/decode-call.ts"
import { TransactionFault } from "../../transaction/fault.ts"
import { type Members, members, type Value } from "../expression.ts"

/** Function and arguments of a token call; names are empty for any other call. */
type TokenCall = {
  readonly function_name: string
  /** The selector: 8 hexadecimal digits. */
  readonly function_signature: string
  /** Addresses are Base58Check. */
  readonly contract_call_args: Members
}

/** The functions of a TRC-20 token that move it or let others move it (TIP-20). */
const TRC20: Abi = readAbi(
  JSON.stringify([
    tokenFunction("transfer", { to: "address", value: "uint256" }),
    tokenFunction("transferFrom", { from: "address", to: "address", value: "uint256" }),
    tokenFunction("approve", { spender: "address", value: "uint256" }),
  ]),
)

function tokenFunction(name: string, inputs: Readonly<Record<string, string>>) {
  return {
    type: "function",
    name,
    inputs: Object.entries(inputs).map(([input, inputType]) => ({ name: input, type: inputType })),
  }
}

const SELECTOR_DIGITS = 8
const WORD = 32
/** Bytes of a word in front of an address. */
const PADDING = 12

/**
 * A call of a TRC-20 function, by its selector, whatever contract it goes to.
 * @param data of the call, hexadecimal without 0x
 * @throws TransactionFault for arguments that do not fit; such a call is never signed
 */
export function trc20Call(data: string): TokenCall {
  const called = TRC20.get(data.slice(0, SELECTOR_DIGITS))
  if (called === undefined)
    return { function_name: "", function_signature: "", contract_call_args: members({}) }
  try {
    const values = decodeCall(
      called,
      withoutVersions(called, Buffer.from(data.slice(SELECTOR_DIGITS), "hex")),
    )
    const named = called.inputs.map(({ name }, index) => [name, toValue(values[index])] as const)
    return {
      function_name: called.name,
      function_signature: called.selector,
      contract_call_args: new Map<string, Value>(named),
    }
  } catch (cause) {
    if (!(cause instanceof CallFault)) throw cause
    const sentence = `the call of ${called.signature} does not fit TRC-20: ${cause.message}`
    throw new TransactionFault(sentence, cause.offset, { cause })
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

function toValue(argument: Argument | undefined): Value {
  if (typeof argument === "object" && "hex" in argument)
    return tronAddressOf(Buffer.from(argument.hex.slice(2), "hex"))
  return typeof argument === "bigint" ? argument : ""
}
