import { counted } from "../counted.ts"
import { Fault } from "../fault.ts"
import { elementAt } from "../crypto/element.ts"
import type { AbiFunction } from "./abi.ts"
import type { AbiParameter, AbiType } from "./abi-type.ts"

/** An argument: hexadecimal is `bytes`; tuples and arrays are lists. */
export type Argument = bigint | boolean | string | { readonly hex: string } | readonly Argument[]

const WORD = 32
/**
 * Bytes that the values of one call have together. No request has as many: only offsets that lead to the same bytes again
 * and again reach the limit.
 */
const MAX_BYTES_READ = 1024 * 1024

/**
 * Reads the arguments of a call, the bytes behind its selector, in the order of the parameters (Contract ABI Specification,
 * "Formal Specification of the Encoding"). Offsets may lead anywhere and bytes may follow, as contracts accept both. Bits that
 * do not belong to a value are refused: contracts refuse them or read another value.
 * @throws Fault call
 */
export function decodeCall({ inputs }: Pick<AbiFunction, "inputs">, data: Uint8Array): Argument[] {
  return new CallReader(data).tuple(inputs, 0)
}

class CallReader {
  readonly #data: Uint8Array
  #bytesLeft = MAX_BYTES_READ

  constructor(data: Uint8Array) {
    this.#data = data
  }

  /** Members from `start` on. Values of no fixed size lie where their offset from `start` leads. */
  tuple(members: readonly AbiParameter[], start: number): Argument[] {
    let head = start
    return members.map(({ type }) => {
      const [at, size] = [head, headSize(type)]
      head += size
      // A tuple without members has no bytes, and counts as a word so that there is an end.
      if (size === 0) this.#spend(WORD, at)
      return this.#value(type, isDynamic(type) ? start + this.#length(at) : at)
    })
  }

  #value(type: AbiType, at: number): Argument {
    switch (type.is) {
      case "uint":
      case "ufixed":
        return this.#unsigned(at, type.bits)
      case "int":
      case "fixed":
        return this.#signed(at, type.bits)
      case "bool":
        return this.#unsigned(at, 1) === 1n
      case "address":
        return { hex: hex(this.#right(at, 20)) }
      case "function":
        return { hex: hex(this.#left(at, 24)) }
      case "fixedBytes":
        return { hex: hex(this.#left(at, type.length)) }
      case "bytes":
        return { hex: hex(this.#bytes(at)) }
      case "string":
        return this.#text(at)
      case "tuple":
        return this.tuple(type.members, at)
      case "array":
        return this.#array(type, at)
      default:
        return type satisfies never
    }
  }

  #array({ of, length }: Extract<AbiType, { is: "array" }>, at: number): Argument[] {
    const count = length ?? this.#length(at)
    const start = length === undefined ? at + WORD : at
    // Every item spends a word at least.
    if (count * WORD > this.#bytesLeft) throw tooLong(at)
    return this.tuple(
      Array.from({ length: count }, () => ({ name: "", type: of })),
      start,
    )
  }

  #text(at: number): string {
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#bytes(at))
    } catch {
      throw new Fault("call", "a string is not UTF-8", at)
    }
  }

  #bytes(at: number): Uint8Array {
    return this.#slice(at + WORD, this.#length(at))
  }

  /** A length or an offset. */
  #length(at: number): number {
    const value = this.#unsigned(at, 256)
    if (value > BigInt(this.#data.length))
      throw new Fault("call", "a length or an offset leads beyond the call", at)
    return Number(value)
  }

  #unsigned(at: number, bits: number): bigint {
    const value = BigInt(hex(this.#slice(at, WORD)))
    if (value >> BigInt(bits) !== 0n) throw new Fault("call", `a value has more than ${bits} bits`, at)
    return value
  }

  #signed(at: number, bits: number): bigint {
    const value = BigInt.asIntN(256, BigInt(hex(this.#slice(at, WORD))))
    if (BigInt.asIntN(bits, value) !== value)
      throw new Fault("call", `a value has more than ${bits} bits`, at)
    return value
  }

  /** The last bytes of a word; the others are zero. */
  #right(at: number, length: number): Uint8Array {
    return this.#padded(at, WORD - length, WORD, 0, WORD - length)
  }

  /** The first bytes of a word; the others are zero. */
  #left(at: number, length: number): Uint8Array {
    return this.#padded(at, 0, length, length, WORD)
  }

  #padded(at: number, from: number, to: number, zeroFrom: number, zeroTo: number): Uint8Array {
    const word = this.#slice(at, WORD)
    for (let index = zeroFrom; index < zeroTo; index++) {
      if (elementAt(word, index) !== 0)
        throw new Fault("call", `a value has more than ${counted(to - from, "byte")}`, at)
    }
    return word.subarray(from, to)
  }

  #slice(at: number, length: number): Uint8Array {
    if (at + length > this.#data.length) throw new Fault("call", "the call ends too early", at)
    this.#spend(length, at)
    return this.#data.subarray(at, at + length)
  }

  #spend(length: number, at: number): void {
    if (length > this.#bytesLeft) throw tooLong(at)
    this.#bytesLeft -= length
  }
}

function tooLong(at: number): Fault<"call"> {
  return new Fault("call", `the values of the call have more than ${MAX_BYTES_READ} bytes together`, at)
}

/** True if a value of the type lies behind an offset. */
function isDynamic(type: AbiType): boolean {
  if (type.is === "bytes" || type.is === "string") return true
  if (type.is === "tuple") return type.members.some((member) => isDynamic(member.type))
  return type.is === "array" && (type.length === undefined || isDynamic(type.of))
}

/** Bytes of a value, or of its offset, among its neighbours. */
function headSize(type: AbiType): number {
  if (isDynamic(type)) return WORD
  if (type.is === "tuple") return type.members.reduce((sum, member) => sum + headSize(member.type), 0)
  return type.is === "array" ? (type.length ?? 0) * headSize(type.of) : WORD
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`
}
