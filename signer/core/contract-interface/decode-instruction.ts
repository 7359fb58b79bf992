import { Fault, isFault } from "../fault.ts"
import { interfaceFault, quoted } from "./fault.ts"
import { base58 } from "@scure/base"
import { elementAt } from "../crypto/element.ts"
import type { Idl, IdlInstruction, UnreadableInstruction } from "./idl.ts"
import type { IdlTypes } from "./idl-layout.ts"
import type { IdlField, IdlType } from "./idl-type.ts"

/**
 * An argument of an instruction. Keys are Base58, `bytes` hexadecimal, floats their decimal text. A struct is a map. A variant
 * is a map of its name to its fields. An option is a list of one item or none.
 */
export type InstructionArgument =
  | bigint
  | boolean
  | string
  | { readonly hex: string }
  | readonly InstructionArgument[]
  | ReadonlyMap<string, InstructionArgument>

/** Values of one transaction, which has at most 1,232 bytes: only items without bytes reach the limit. */
const MAX_VALUES = 10_000
const KEY_BYTES = 32

/** Values that the instructions of one transaction may still have. */
export type ValueBudget = { left: number }

export function newValueBudget(): ValueBudget {
  return { left: MAX_VALUES }
}

/** The instruction whose discriminator the data begin with. Data that begin with those of several are unreadable. */
export function instructionOf(
  { instructions }: Idl,
  data: Uint8Array,
): IdlInstruction | UnreadableInstruction | undefined {
  const [first, second] = instructions.filter(({ discriminator }) =>
    discriminator.every((byte, index) => data[index] === byte),
  )
  if (first === undefined || second === undefined) return first
  const names = [first, second].map(({ name }) => quoted(name ?? "")).join(" and ")
  const fault = interfaceFault("instructions", `share a prefix: ${names}`)
  return { name: undefined, discriminator: first.discriminator, fault }
}

/** Arguments by name; undefined for one that the data omit. */
export type InstructionArguments = ReadonlyMap<string, InstructionArgument | undefined>

/**
 * Reads the arguments behind an instruction's discriminator, laid out by Borsh. Bytes may follow, as programs accept them.
 * Data may end before trailing options: programs that add an argument accept the calls of before so.
 * @throws Fault call
 */
export function decodeInstruction(
  { discriminator, args }: IdlInstruction,
  { types }: Pick<Idl, "types">,
  data: Uint8Array,
  budget = newValueBudget(),
): InstructionArguments {
  const reader = new BorshReader(data, discriminator.length, types, budget)
  const firstTrailing = args.findLastIndex(({ type }) => !isOption(type, types)) + 1
  return new Map(
    args.map(({ name, type }, index) => [
      name,
      index >= firstTrailing && reader.isAtEnd ? undefined : reader.value(type),
    ]),
  )
}

/** Names of a program's own options, as `OptionBool`. Clients write them in camel case too. */
const OPTION_NAME = /^c?option/i

/** True for an option, and for what a program defines as one: an alias, or a struct of one value with such a name. */
function isOption(type: IdlType, types: IdlTypes): boolean {
  if (type.is === "option") return true
  if (type.is !== "defined") return false
  const definition = types.get(type.name)
  if (definition === undefined || isFault(definition, "interface")) return false
  const { shape } = definition
  if (shape.is === "alias") return isOption(shape.of, types)
  return shape.is === "struct" && shape.fields.length === 1 && OPTION_NAME.test(type.name)
}

class BorshReader {
  readonly #data: Uint8Array
  readonly #types: IdlTypes
  readonly #budget: ValueBudget
  #at: number

  constructor(data: Uint8Array, start: number, types: IdlTypes, budget: ValueBudget) {
    this.#data = data
    this.#at = start
    this.#types = types
    this.#budget = budget
  }

  get isAtEnd(): boolean {
    return this.#at === this.#data.length
  }

  #fields(fields: readonly IdlField[]): ReadonlyMap<string, InstructionArgument> {
    return new Map(fields.map(({ name, type }) => [name, this.value(type)]))
  }

  value(type: IdlType): InstructionArgument {
    if (this.#budget.left === 0) throw this.#tooMany()
    this.#budget.left -= 1
    switch (type.is) {
      case "bool":
        return this.#flag()
      case "integer":
        return this.#integer(type.bits, type.signed)
      case "float":
        return this.#float(type.bits)
      case "publicKey":
        return base58.encode(this.#take(KEY_BYTES))
      case "string":
        return this.#text()
      case "bytes":
        return { hex: `0x${Buffer.from(this.#take(this.#length())).toString("hex")}` }
      case "vec":
        return this.#list(type.of, this.#length())
      case "array":
        return this.#list(type.of, type.length)
      case "option":
        return this.#flag() ? [this.value(type.of)] : []
      case "defined":
        return this.#defined(type.name)
      default:
        return type satisfies never
    }
  }

  #list(of: IdlType, length: number): InstructionArgument[] {
    if (length > this.#budget.left) throw this.#tooMany()
    return Array.from({ length }, () => this.value(of))
  }

  #defined(name: string): InstructionArgument {
    const definition = this.#types.get(name)
    if (definition === undefined || isFault(definition, "interface"))
      throw this.#fault(`the type ${name} cannot be read`)
    const { shape } = definition
    if (shape.is === "alias") return this.value(shape.of)
    if (shape.is === "struct") return this.#fields(shape.fields)
    const index = elementAt(this.#take(1), 0)
    const variant = shape.variants[index]
    if (variant === undefined) throw this.#fault(`${name} has no variant ${index}`)
    return new Map([[variant.name, this.#fields(variant.fields)]])
  }

  #flag(): boolean {
    const byte = elementAt(this.#take(1), 0)
    if (byte > 1) throw this.#fault("a flag is neither 0 nor 1")
    return byte === 1
  }

  /** Little-endian. */
  #integer(bits: number, signed: boolean): bigint {
    const bytes = Buffer.from(this.#take(bits / 8).toReversed())
    const value = BigInt(`0x${bytes.toString("hex")}`)
    return signed ? BigInt.asIntN(bits, value) : value
  }

  /** Policies have no floats: they compare the shortest decimal text. */
  #float(bits: number): string {
    const bytes = Buffer.from(this.#take(bits / 8))
    const value = bits === 32 ? bytes.readFloatLE() : bytes.readDoubleLE()
    // Borsh refuses NaN, which has many spellings.
    if (Number.isNaN(value)) throw this.#fault("a float is no number")
    return String(value)
  }

  #text(): string {
    const bytes = this.#take(this.#length())
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw this.#fault("a string is not UTF-8")
    }
  }

  #length(): number {
    return Buffer.from(this.#take(4)).readUInt32LE()
  }

  #take(length: number): Uint8Array {
    const start = this.#at
    if (start + length > this.#data.length) throw this.#fault("the instruction ends too early")
    this.#at = start + length
    return this.#data.subarray(start, this.#at)
  }

  #tooMany(): Fault<"call"> {
    return this.#fault(`the transaction has more than ${MAX_VALUES} values`)
  }

  #fault(sentence: string): Fault<"call"> {
    return new Fault("call", sentence, this.#at)
  }
}
