import { keccak_256 } from "@noble/hashes/sha3.js"
import { type AbiParameter, canonicalTypes, readParameters, requireIdentifier } from "./abi-type.ts"
import {
  InterfaceFault,
  join,
  memberOf,
  quoted,
  readJson,
  requireList,
  requireObject,
  requireString,
} from "./fault.ts"

export type AbiFunction = {
  name: string
  /** `transfer(address,uint256)`. */
  signature: string
  /** First four bytes of Keccak-256 of the signature: 8 hex digits in lower case. */
  selector: string
  inputs: readonly AbiParameter[]
}

/** A contract's functions by selector, by which its calls are read. */
export type Abi = ReadonlyMap<string, AbiFunction>

const MUTABILITIES: ReadonlySet<unknown> = new Set(["pure", "view", "nonpayable", "payable", undefined])

/**
 * Reads the JSON ABI of a contract (Contract ABI Specification, "JSON"). Only functions are kept, all items are
 * checked. Members that the specification does not know are ignored: compilers add their own.
 * @throws InterfaceFault
 */
export function readAbi(text: string): Abi {
  const json = readJson(text)
  if (!Array.isArray(json)) {
    const hint =
      typeof json === "object" && json !== null && "abi" in json ? ': take the list under "abi"' : ""
    throw new InterfaceFault("", `must be a list of functions, events and errors${hint}`)
  }
  const functions = new Map<string, AbiFunction>()
  for (const [index, item] of json.entries()) {
    const one = readItem(item, `[${index}]`)
    if (one === undefined) continue
    const twin = functions.get(one.selector)
    if (twin !== undefined) {
      const which =
        twin.signature === one.signature ? "occurs twice" : `has the selector of ${twin.signature}`
      throw new InterfaceFault(`[${index}]`, `${which}: ${quoted(one.signature)}`)
    }
    functions.set(one.selector, one)
  }
  return functions
}

/** Reads an item; undefined: not a function. */
function readItem(value: unknown, place: string): AbiFunction | undefined {
  const members = requireObject(value, place)
  const type = memberOf(members, "type") === undefined ? "function" : requireString(members, "type", place)
  switch (type) {
    case "function":
      return readFunction(members, place)
    case "event":
    case "error":
      readName(members, place)
      readParameters(requireList(members, "inputs", place), join(place, "inputs"))
      return undefined
    case "constructor":
      readOptional(members, "inputs", place)
      return undefined
    case "receive":
    case "fallback":
      return undefined
    default:
      throw new InterfaceFault(join(place, "type"), `is no kind of item of an ABI: ${quoted(type)}`)
  }
}

function readFunction(members: Readonly<Record<string, unknown>>, place: string): AbiFunction {
  const name = readName(members, place)
  const inputs = readParameters(requireList(members, "inputs", place), join(place, "inputs"))
  readOptional(members, "outputs", place)
  if (!MUTABILITIES.has(memberOf(members, "stateMutability")))
    throw new InterfaceFault(join(place, "stateMutability"), "must be pure, view, nonpayable or payable")
  const signature = `${name}(${canonicalTypes(inputs)})`
  const hash = keccak_256(Buffer.from(signature, "ascii"))
  return { name, signature, selector: Buffer.from(hash.subarray(0, 4)).toString("hex"), inputs }
}

function readName(members: Readonly<Record<string, unknown>>, place: string): string {
  return requireIdentifier(requireString(members, "name", place), join(place, "name"))
}

function readOptional(members: Readonly<Record<string, unknown>>, name: string, place: string): void {
  if (memberOf(members, name) === undefined) return
  readParameters(requireList(members, name, place), join(place, name))
}
