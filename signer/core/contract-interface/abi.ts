import { type Fault, isFault } from "../fault.ts"
import {
  interfaceFault,
  isUnreadable,
  join,
  type InterfaceMembers,
  memberOf,
  quoted,
  readJson,
  readOrFault,
  requireList,
  requireObject,
  requireString,
} from "./fault.ts"
import { keccak_256 } from "@noble/hashes/sha3.js"
import {
  type AbiParameter,
  canonicalTypes,
  readParameters,
  requireIdentifier,
  spelledTypes,
} from "./abi-type.ts"

export type AbiFunction = {
  name: string
  /** `transfer(address,uint256)`. */
  signature: string
  /** First four bytes of Keccak-256 of the signature: 8 hex digits in lower case. */
  selector: string
  inputs: readonly AbiParameter[]
  /** Names that a second declaration of the function gives to other arguments. Such a name is ambiguous. */
  readonly otherNames: Set<string>
}

/** A function whose calls are recognized and whose arguments cannot be read. */
export type UnreadableFunction = {
  /** Undefined: several functions have the selector, so a call could mean any of them. */
  name: string | undefined
  /** The text that is hashed for the selector, with types as the interface spells them. */
  signature: string
  selector: string
  fault: Fault<"interface">
}

/** A contract's functions, by which its calls are read. */
export type Abi = {
  /** Functions by selector. */
  functions: ReadonlyMap<string, AbiFunction | UnreadableFunction>
  /** Faults of items that have no selector: no call is recognized as theirs. */
  faults: readonly Fault<"interface">[]
}

/**
 * Reads the JSON ABI of a contract (Contract ABI Specification, "JSON"). Only names and inputs of functions are read:
 * events, errors, outputs and all other members say nothing about a call. A function that cannot be read leaves the others as
 * they are.
 * @throws Fault interface for a text that is no list, or whose items are no functions, events or errors at all
 */
export function readAbi(text: string): Abi {
  const json = readJson(text)
  if (!Array.isArray(json)) {
    const hint =
      typeof json === "object" && json !== null && "abi" in json ? ': take the list under "abi"' : ""
    throw interfaceFault("", `must be a list of functions, events and errors${hint}`)
  }
  const functions = new Map<string, AbiFunction | UnreadableFunction>()
  const faults: Fault<"interface">[] = []
  for (const [index, item] of json.entries()) {
    const one = readOrFault(() => readItem(item, `[${index}]`))
    if (isFault(one, "interface")) faults.push(one)
    else if (one !== undefined) functions.set(one.selector, merged(functions.get(one.selector), one, index))
  }
  const [fault] = faults
  if (fault !== undefined && faults.length === json.length) throw fault
  return { functions, faults }
}

/** The functions that can be read, by selector. */
export function readableFunctions({ functions }: Abi): ReadonlyMap<string, AbiFunction> {
  return new Map([...functions].flatMap(([selector, one]) => (isUnreadable(one) ? [] : [[selector, one]])))
}

/** The function of a selector. One that occurs twice is one function, by the names of its first occurrence. */
function merged(
  known: AbiFunction | UnreadableFunction | undefined,
  one: AbiFunction | UnreadableFunction,
  index: number,
): AbiFunction | UnreadableFunction {
  if (known === undefined) return one
  if (known.name === undefined) return known
  if (known.signature === one.signature) {
    if (!isUnreadable(known) && !isUnreadable(one)) noteOtherNames(known, one)
    return known
  }
  const why = `has the selector of ${quoted(known.signature)}: ${quoted(one.signature)}`
  const fault = interfaceFault(`[${index}]`, why)
  return {
    name: undefined,
    signature: `${known.signature} or ${one.signature}`,
    selector: one.selector,
    fault,
  }
}

function noteOtherNames({ inputs, otherNames }: AbiFunction, again: AbiFunction): void {
  for (const [index, { name }] of again.inputs.entries())
    if (name !== "" && name !== inputs[index]?.name) otherNames.add(name)
}

const OTHER_KINDS: ReadonlySet<string> = new Set(["event", "error", "constructor", "receive", "fallback"])

/** Reads an item; undefined: not a function. @throws Fault interface for an item without selector */
function readItem(value: unknown, place: string): AbiFunction | UnreadableFunction | undefined {
  const members = requireObject(value, place)
  const type = memberOf(members, "type") === undefined ? "function" : requireString(members, "type", place)
  if (type === "function") return readFunction(members, place)
  if (OTHER_KINDS.has(type)) return undefined
  throw interfaceFault(join(place, "type"), `is no kind of item of an ABI: ${quoted(type)}`)
}

function readFunction(members: InterfaceMembers, place: string): AbiFunction | UnreadableFunction {
  const name = requireIdentifier(requireString(members, "name", place), join(place, "name"))
  const list = requireList(members, "inputs", place)
  const inputs = readOrFault(() => readParameters(list, join(place, "inputs")))
  if (!isFault(inputs, "interface")) {
    const signature = `${name}(${canonicalTypes(inputs)})`
    return { name, signature, selector: selectorOf(signature), inputs, otherNames: new Set() }
  }
  const spelled = spelledTypes(list)
  if (spelled === undefined) throw inputs
  const signature = `${name}(${spelled})`
  return { name, signature, selector: selectorOf(signature), fault: inputs }
}

function selectorOf(signature: string): string {
  return Buffer.from(keccak_256(Buffer.from(signature, "utf8")).subarray(0, 4)).toString("hex")
}
