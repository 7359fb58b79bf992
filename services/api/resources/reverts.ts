import { readHex } from "../../../signer/core/encodings.ts"
import { isFault } from "../../../signer/core/fault.ts"
import type { MessageInitShape } from "@bufbuild/protobuf"
import { keccak_256 } from "@noble/hashes/sha3.js"
import type { RevertChainEntrySchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import {
  type AbiParameter,
  canonicalTypes,
  readParameters,
} from "../../../signer/core/contract-interface/abi-type.ts"
import { type Argument, decodeCall } from "../../../signer/core/contract-interface/decode-call.ts"

export type RevertEntry = MessageInitShape<typeof RevertChainEntrySchema>

/** Selectors of `Error(string)` and `Panic(uint256)` (Solidity, "Error handling"). */
const ERROR_STRING = "08c379a0"
const PANIC = "4e487b71"

/** Meanings of panic codes, as the documentation of Solidity lists them. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x01n, "an assertion failed"],
  [0x11n, "arithmetic overflow or underflow"],
  [0x12n, "division or modulo by zero"],
  [0x21n, "a value is none of its enum"],
  [0x22n, "a byte array in storage is encoded incorrectly"],
  [0x31n, "pop on an empty array"],
  [0x32n, "an index is out of bounds"],
  [0x41n, "too much memory was allocated"],
  [0x51n, "a function variable is not initialized"],
])

/** Bytes of revert data that are shown. */
const MAX_SHOWN_BYTES = 4096

/**
 * Explains the data with which a contract reverted.
 *
 * @param data 0x and hex, as a node gives it
 * @param abis JSON ABIs of the contract; texts that are none are ignored
 */
export function revertEntry(address: string, data: string, abis: readonly string[]): RevertEntry {
  const bytes = readHex(data.slice(2).toLowerCase())
  if (bytes.length === 0) {
    const message = "execution reverted without a reason"
    return {
      address,
      errorType: "native",
      displayMessage: message,
      native: { nativeType: "execution_reverted", message },
    }
  }
  const selector = bytes.subarray(0, 4).toString("hex")
  const body = bytes.subarray(4)
  return (
    nativeEntry(address, selector, body) ??
    customEntry(address, selector, body, abis) ??
    unknownEntry(address, selector, bytes)
  )
}

function nativeEntry(address: string, selector: string, body: Uint8Array): RevertEntry | undefined {
  if (selector === ERROR_STRING) {
    const [message] = decoded([{ name: "", type: { is: "string" } }], body) ?? []
    if (typeof message !== "string") return undefined
    const native = { nativeType: "error_string", message }
    return { address, errorType: "native", displayMessage: `reverted: ${message}`, native }
  }
  if (selector !== PANIC) return undefined
  const [code] = decoded([{ name: "", type: { is: "uint", bits: 256 } }], body) ?? []
  if (typeof code !== "bigint") return undefined
  const message = PANICS.get(code) ?? "a panic of an unknown code"
  const native = { nativeType: "panic", message, panicCode: String(BigInt.asUintN(64, code)) }
  return { address, errorType: "native", displayMessage: `panic 0x${code.toString(16)}: ${message}`, native }
}

function customEntry(
  address: string,
  selector: string,
  body: Uint8Array,
  abis: readonly string[],
): RevertEntry | undefined {
  for (const { name, inputs } of abis.flatMap(errorsOf)) {
    const signature = `${name}(${canonicalTypes(inputs)})`
    const hash = keccak_256(Buffer.from(signature, "ascii"))
    if (Buffer.from(hash.subarray(0, 4)).toString("hex") !== selector) continue
    const values = decoded(inputs, body)
    if (values === undefined) continue
    const paramsJson = JSON.stringify(namedValues(inputs, values))
    return {
      address,
      errorType: "custom",
      displayMessage: `reverted: ${name}${paramsJson === "{}" ? "()" : ` ${paramsJson}`}`,
      custom: { errorName: name, paramsJson },
    }
  }
  return undefined
}

function unknownEntry(address: string, selector: string, bytes: Buffer): RevertEntry {
  const data = `0x${bytes.subarray(0, MAX_SHOWN_BYTES).toString("hex")}`
  return {
    address,
    errorType: "unknown",
    displayMessage: `reverted with an error that no contract interface explains: 0x${selector}`,
    unknown: { selector: `0x${selector}`, data },
  }
}

type AbiError = { name: string; inputs: AbiParameter[] }

/** Errors of a JSON ABI (Contract ABI Specification, "JSON"). */
function errorsOf(text: string): AbiError[] {
  const items: unknown = JSON.parse(text)
  if (!Array.isArray(items)) return []
  return items.flatMap((item: { type?: unknown; name?: unknown; inputs?: unknown }): AbiError[] => {
    if (item?.type !== "error" || typeof item.name !== "string" || !Array.isArray(item.inputs)) return []
    try {
      return [{ name: item.name, inputs: readParameters(item.inputs, "inputs") }]
    } catch (fault) {
      if (isFault(fault, "interface")) return []
      throw fault
    }
  })
}

function decoded(inputs: readonly AbiParameter[], body: Uint8Array): Argument[] | undefined {
  try {
    return decodeCall({ inputs }, body)
  } catch (fault) {
    if (isFault(fault, "call")) return undefined
    throw fault
  }
}

/** Arguments by name; those without a name of their own by their position. */
function namedValues(inputs: readonly AbiParameter[], values: readonly Argument[]) {
  const isOwn = (one: string) => one !== "" && inputs.filter(({ name }) => name === one).length === 1
  return Object.fromEntries(
    inputs.map(({ name }, index) => [isOwn(name) ? name : String(index), shown(values[index])]),
  )
}

/** Integers as decimal text: JSON numbers lose digits. */
function shown(value: Argument | undefined): unknown {
  if (typeof value === "bigint") return String(value)
  if (Array.isArray(value)) return value.map((one) => shown(one as Argument))
  return typeof value === "object" && "hex" in value ? value.hex : value
}
