import type { TreeFormat } from "./tree.ts"

/** How a reader ended: with a value, or with an error that it may throw. */
export type Outcome<Value = unknown> = { readonly value: Value } | { readonly refusal: Error }

/** Inputs to begin with, and another implementation. */
export type Judge<Value = unknown> = {
  /** Inputs to begin with, beside the kept corpus. */
  seeds?(): Iterable<Uint8Array | string>
  /** Compares with another implementation, or checks a property. @throws the finding */
  judge?(input: Buffer, outcome: Outcome<Value>): void
}

/** A reader of bytes from outside. Reading depends on the input alone. */
export type Reader<Value = unknown> = Judge<Value> & {
  /** Structure of inputs, so that mutations keep lengths and brackets in order. Undefined: bytes without structure. */
  readonly format?: TreeFormat
  /** Longest input that mutations make, bytes. */
  readonly maxLength?: number
  /** Most blocks that one input may execute. The count is the same on every machine. */
  readonly maxBlocks?: number
  /** The call that an input becomes. `undefined` is a refusal too. */
  read(input: Buffer): Value
  /** True for the errors that the reader throws on purpose. Every other error is a finding. */
  isRefusal(error: unknown): boolean
}

/** The longest input of readers that name no other. */
export const MAX_LENGTH = 4_096
/** Ten times the blocks that the most expensive seeds execute. */
export const MAX_BLOCKS = 1_000_000

/** A difference between a reader and its judge. */
export class Difference extends Error {
  override name = "Difference"
}

/** The judge's comparison of two values, as texts. @throws Difference */
export function requireSame(ours: unknown, theirs: unknown, what: string): void {
  const [one, other] = [textOf(ours), textOf(theirs)]
  if (one !== other) throw new Difference(`${what}: ${shortened(one)} is not ${shortened(other)}`)
}

/** @throws Difference */
export function requireTrue(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Difference(what)
}

export function valueOf<Value>(outcome: Outcome<Value>): Value | undefined {
  return "value" in outcome ? outcome.value : undefined
}

/** JSON with integers, bytes, maps and sets. */
function textOf(value: unknown): string {
  return JSON.stringify(plain(value)) ?? "undefined"
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`
  if (value instanceof Map || value instanceof Set) return [...value].map(plain)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]))
}

const MAX_SHOWN = 300

function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`
}
