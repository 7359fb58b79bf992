import { type Fault, isFault } from "../fault.ts"
import {
  interfaceFault,
  join,
  type InterfaceMembers,
  memberOf,
  optionalList,
  quoted,
  readJson,
  readOrFault,
  requireList,
  requireObject,
} from "./fault.ts"
import { createHash } from "node:crypto"
import { type IdlAccount, readAccounts } from "./idl-accounts.ts"
import { type IdlTypes, LayoutCheck } from "./idl-layout.ts"
import { type IdlDefinition, type IdlField, readDefinition, readFields, requireName } from "./idl-type.ts"

export type IdlInstruction = {
  name: string
  /** Bytes that the instruction's data begins with. */
  discriminator: Uint8Array
  /** Accounts in the order of the instruction. */
  accounts: readonly IdlAccount[]
  args: readonly IdlField[]
}

/** An instruction whose calls are recognized, and whose arguments or accounts cannot be read. */
export type UnreadableInstruction = {
  /** Undefined: several instructions fit the data, so a call could mean any of them. */
  name: string | undefined
  discriminator: Uint8Array
  fault: Fault<"interface">
}

/** A program's instructions and types, by which its calls are read. */
export type Idl = {
  instructions: readonly (IdlInstruction | UnreadableInstruction)[]
  types: IdlTypes
  /** Faults of instructions that no data can be recognized as. */
  faults: readonly Fault<"interface">[]
}

/** Longest discriminator of an instruction, bytes. */
const MAX_DISCRIMINATOR_LENGTH = 32

/**
 * Reads the IDL of a Solana program in Anchor's layout, before and since version 0.30, and as Shank writes it. An instruction
 * or type that cannot be read leaves the others as they are.
 * @throws Fault interface for a text that is no IDL, or none of whose instructions has a name and a discriminator
 */
export function readIdl(text: string): Idl {
  const members = requireObject(readJson(text), "")
  const types = readTypes(members)
  const list = requireList(members, "instructions", "")
  const layout = new LayoutCheck(types)
  const instructions = new Map<string, IdlInstruction | UnreadableInstruction>()
  const faults: Fault<"interface">[] = []
  for (const [index, item] of list.entries()) {
    const one = readOrFault(() => readInstruction(item, `instructions[${index}]`, layout))
    // The same text twice is one instruction.
    if (isFault(one, "interface")) faults.push(one)
    else instructions.set(JSON.stringify(item), one)
  }
  const [fault] = faults
  if (fault !== undefined && instructions.size === 0) throw fault
  return { instructions: [...instructions.values()], types, faults }
}

/** First 8 bytes of SHA-256 of "global:" and the name in snake case, as Anchor makes them. */
export function anchorDiscriminator(name: string): Uint8Array {
  const snake = name.replace(/[A-Z]/g, (letter, at) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`)
  return createHash("sha256").update(`global:${snake}`).digest().subarray(0, 8)
}

/** Reads the types that arguments may name. Before version 0.30 the types of accounts stand under `accounts`. */
function readTypes(members: InterfaceMembers): IdlTypes {
  const types = new Map<string, IdlDefinition | Fault<"interface">>()
  const texts = new Map<string, string>()
  const accounts = memberOf(members, "accounts")
  const lists = {
    types: optionalList(members, "types", ""),
    accounts: Array.isArray(accounts) ? accounts : [],
  }
  for (const [under, list] of Object.entries(lists)) {
    for (const [index, item] of (list as readonly unknown[]).entries()) {
      const place = `${under}[${index}]`
      const name = readOrFault(() => requireName(item, place))
      // Nothing refers to a type without a name. Since version 0.30 accounts name their types only.
      if (isFault(name, "interface") || (under === "accounts" && !hasType(item))) continue
      const text = JSON.stringify(item)
      const isKnown = texts.has(name)
      if (isKnown && texts.get(name) === text) continue
      const twice = interfaceFault(`${place}.name`, `occurs twice: ${quoted(name)}`)
      types.set(name, isKnown ? twice : readOrFault(() => readDefinition(item, place)))
      texts.set(name, text)
    }
  }
  return types
}

function hasType(item: unknown): boolean {
  return memberOf(requireObject(item, ""), "type") !== undefined
}

/** @throws Fault interface for an instruction without name or discriminator */
function readInstruction(
  value: unknown,
  place: string,
  layout: LayoutCheck,
): IdlInstruction | UnreadableInstruction {
  const members = requireObject(value, place)
  const name = requireName(members, place)
  const discriminator = readDiscriminator(members, name, place)
  const read = readOrFault(() => {
    const accounts = readAccounts(requireList(members, "accounts", place), join(place, "accounts"))
    const args = readFields(requireList(members, "args", place), join(place, "args"))
    for (const [index, { type }] of args.entries()) layout.require(type, `${place}.args[${index}].type`)
    return { accounts, args }
  })
  return isFault(read, "interface") ? { name, discriminator, fault: read } : { name, discriminator, ...read }
}

/** The bytes of `discriminator`. Shank writes a number in `discriminant` instead; without both, Anchor derives them from the name. */
function readDiscriminator(members: InterfaceMembers, name: string, place: string): Uint8Array {
  const [given, number] = [memberOf(members, "discriminator"), memberOf(members, "discriminant")]
  if (given !== undefined) return requireBytes(given, join(place, "discriminator"))
  return number === undefined ? anchorDiscriminator(name) : numberBytes(number, join(place, "discriminant"))
}

function requireBytes(value: unknown, place: string): Uint8Array {
  const isList = Array.isArray(value) && value.length >= 1 && value.length <= MAX_DISCRIMINATOR_LENGTH
  if (!isList || !value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255))
    throw interfaceFault(place, `must be a list of 1 to ${MAX_DISCRIMINATOR_LENGTH} bytes`)
  return Uint8Array.from(value as number[])
}

/** {"type": "u8", "value": 5}: the program's Borsh enum of instructions has one byte. */
function numberBytes(value: unknown, place: string): Uint8Array {
  const members = requireObject(value, place)
  if (memberOf(members, "type") !== "u8") throw interfaceFault(join(place, "type"), 'must be "u8"')
  return requireBytes([memberOf(members, "value")], join(place, "value"))
}
