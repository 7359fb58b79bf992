import type { AbiParameter } from "viem"
import {
  type AbiFunction,
  readableFunctions,
  readAbi,
} from "../../../../signer/core/contract-interface/abi.ts"

/** One shape for our arguments, viem's and ethers' values: lower-case hexadecimal, decimal text, lists. */
export function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value === "object" && value !== null && "hex" in value) return value.hex
  if (typeof value === "bigint" || typeof value === "number") return `${value}n`
  return typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value) ? value.toLowerCase() : value
}

export function functionOf(inputs: readonly AbiParameter[]): AbiFunction {
  const [only] = readableFunctions(
    readAbi(JSON.stringify([{ type: "function", name: "f", inputs }])),
  ).values()
  return only!
}
