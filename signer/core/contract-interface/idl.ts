import { createHash } from "node:crypto"
import {
  InterfaceFault,
  join,
  memberOf,
  optionalList,
  quoted,
  readJson,
  requireDistinct,
  requireList,
  requireObject,
} from "./fault.ts"
import type { IdlDefinition, IdlField, IdlType } from "./idl-type.ts"
import { readDefinition, readFields, requireName } from "./idl-type.ts"

export type IdlInstruction = {
  name: string
  /** Bytes that the instruction's data begins with. */
  discriminator: Uint8Array
  /** Names of accounts in the order of the instruction. */
  accounts: readonly string[]
  args: readonly IdlField[]
}

/** A program's instructions and types, by which its calls are read. */
export type Idl = { instructions: readonly IdlInstruction[]; types: ReadonlyMap<string, IdlDefinition> }

/** Longest discriminator of an instruction, bytes. */
const MAX_DISCRIMINATOR_LENGTH = 32
/** Largest nesting of defined types. */
const MAX_DEFINED_DEPTH = 16
/** Largest nesting of groups of accounts. */
const MAX_GROUP_DEPTH = 8

/**
 * Reads the IDL of a Solana program in Anchor's layout, before and since version 0.30. Instructions and types are
 * checked. Each type that an instruction needs has one finite layout, and no data matches two instructions.
 * @throws InterfaceFault
 */
export function readIdl(text: string): Idl {
  const members = requireObject(readJson(text), "")
  const definitions = optionalList(members, "types", "").map((item, at) =>
    readDefinition(item, `types[${at}]`),
  )
  requireDistinct(definitions, "types")
  const types = new Map(definitions.map((definition) => [definition.name, definition]))
  const instructions = requireList(members, "instructions", "").map((item, index) =>
    readInstruction(item, `instructions[${index}]`),
  )
  requireDistinct(instructions, "instructions")
  requireDistinguishable(instructions)
  requireReadable(instructions, types)
  return { instructions, types }
}

/** First 8 bytes of SHA-256 of "global:" and the name in snake case, as Anchor makes them. */
export function anchorDiscriminator(name: string): Uint8Array {
  const snake = name.replace(/[A-Z]/g, (letter, at) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`)
  return createHash("sha256").update(`global:${snake}`).digest().subarray(0, 8)
}

function readInstruction(value: unknown, place: string): IdlInstruction {
  const members = requireObject(value, place)
  const name = requireName(members, place)
  const accounts = readAccounts(requireList(members, "accounts", place), join(place, "accounts"))
  const seen = new Set<string>()
  // Adding a known name does not grow the set.
  const twice = accounts.find((account) => seen.size === seen.add(account).size)
  if (twice !== undefined) throw new InterfaceFault(join(place, "accounts"), `occurs twice: ${quoted(twice)}`)
  const args = readFields(requireList(members, "args", place), join(place, "args"))
  const given = memberOf(members, "discriminator")
  const discriminator =
    given === undefined ? anchorDiscriminator(name) : readDiscriminator(given, join(place, "discriminator"))
  return { name, discriminator, accounts, args }
}

function readDiscriminator(value: unknown, place: string): Uint8Array {
  const isList = Array.isArray(value) && value.length >= 1 && value.length <= MAX_DISCRIMINATOR_LENGTH
  if (!isList || !value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255))
    throw new InterfaceFault(place, `must be a list of 1 to ${MAX_DISCRIMINATOR_LENGTH} bytes`)
  return Uint8Array.from(value as number[])
}

/** Checks both spellings of an account's flags; none is kept. */
const FLAGS = ["isMut", "isSigner", "isOptional", "writable", "signer", "optional"]

/** A group is replaced by its accounts. */
function readAccounts(list: readonly unknown[], place: string, depth = 0): string[] {
  if (depth > MAX_GROUP_DEPTH) throw new InterfaceFault(place, "is nested too deep in groups")
  return list.flatMap((item, index) => {
    const at = `${place}[${index}]`
    const members = requireObject(item, at)
    const name = requireName(members, at)
    if (memberOf(members, "accounts") !== undefined)
      return readAccounts(requireList(members, "accounts", at), join(at, "accounts"), depth + 1)
    const flag = FLAGS.find((one) => !["boolean", "undefined"].includes(typeof memberOf(members, one)))
    if (flag !== undefined) throw new InterfaceFault(join(at, flag), "must be true or false")
    return [name]
  })
}

/** Sorted by bytes, a discriminator stands right before one that begins with it. */
function requireDistinguishable(instructions: readonly IdlInstruction[]): void {
  const sorted = instructions
    .map(({ name, discriminator }) => ({ name, hex: Buffer.from(discriminator).toString("hex") }))
    .toSorted((a, b) => (a.hex < b.hex ? -1 : 1))
  for (const [index, { name, hex }] of sorted.entries()) {
    const next = sorted[index + 1]
    if (next?.hex.startsWith(hex))
      throw new InterfaceFault("instructions", `share a prefix: ${quoted(name)} and ${quoted(next.name)}`)
  }
}

/** Checks that every type the arguments need is defined, laid out by Borsh, and finite. */
function requireReadable(instructions: readonly IdlInstruction[], types: Idl["types"]): void {
  /** Greatest depth at which a definition and all its types were found readable. */
  const readableDepths = new Map<string, number>()
  const visit = (type: IdlType, place: string, above: readonly string[]): void => {
    if (type.is === "vec" || type.is === "option" || type.is === "array") return visit(type.of, place, above)
    if (type.is !== "defined") return
    const definition = types.get(type.name)
    if (definition === undefined) throw new InterfaceFault(place, `is not among types: ${quoted(type.name)}`)
    if (above.includes(type.name)) throw new InterfaceFault(place, `contains itself: ${quoted(type.name)}`)
    if (above.length === MAX_DEFINED_DEPTH)
      throw new InterfaceFault(place, `lies more than ${MAX_DEFINED_DEPTH} defined types deep`)
    if (!definition.isBorsh)
      throw new InterfaceFault(definition.place, "is used by an argument and must be laid out by Borsh")
    if ((readableDepths.get(type.name) ?? -1) >= above.length) return
    for (const inner of typesOf(definition)) visit(inner, definition.place, [...above, type.name])
    readableDepths.set(type.name, above.length)
  }
  for (const [index, { args }] of instructions.entries()) {
    for (const [position, { type }] of args.entries())
      visit(type, `instructions[${index}].args[${position}].type`, [])
  }
}

function typesOf({ shape }: IdlDefinition): IdlType[] {
  switch (shape.is) {
    case "struct":
      return shape.fields.map(({ type }) => type)
    case "enum":
      return shape.variants.flatMap(({ fields }) => fields.map(({ type }) => type))
    case "alias":
      return [shape.of]
    default:
      return shape satisfies never
  }
}
