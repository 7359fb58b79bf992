// Feeds damaged and random texts to the policy language, and random values to the accepted ones. Each gives
// an expression, an `ExpressionFault`, a value or an evaluation fault: no other exception, no hang. Run by
// hand it also reports texts that took long.
//
//   node test/fuzz/policies.ts [minutes] [seed]
import { EXPRESSION_KINDS, isFault } from "../../signer/core/fault.ts"
import { explain } from "../../services/policy-advice/explain.ts"
import { lint } from "../../services/policy-advice/lint.ts"
import { corpus } from "../signer/core/policy/language/corpus.ts"
import {
  Budget,
  Caseless,
  compile,
  type RootReader,
  evaluate,
  type Field,
  fieldNotUsed,
  type Value,
} from "../../signer/core/policy/expression.ts"
import type { StructType, Type } from "../../signer/core/policy/language/types.ts"
import { namespaces } from "../../signer/core/policy/namespaces/index.ts"
import { Random } from "./random.ts"

const FIELDS: readonly Field[] = ["condition", "consensus", "time"]

/** Longest time for one text with all its steps, on an idle machine. */
const MAX_MS = 1_000

const PIECES = [
  "( ) [ ] { } . , : ! ' < > = && || == != <= >= .. in true false 0 1 99 -",
  "any all filter contains count Timestamp CronSpan CaseInsensitiveString( [' [0] [0..1] .any(x,x) .count()",
  "wallet eth.tx. activity.params. solana.tx.instructions __proto__ constructor \0 \ud800 \u{1f511}",
]
  .flatMap((words) => words.split(" "))
  .concat(" ", "\n", "\t", "9".repeat(80))

export type Tally = {
  texts: number
  accepted: number
  evaluated: number
  slowest: { ms: number; text: string }
}

/** Fuzzes while `goesOn`; throws any unexpected exception with the text that caused it. */
export function fuzz(seed: number, goesOn: (tally: Tally) => boolean): Tally {
  const random = new Random(seed)
  const tally: Tally = { texts: 0, accepted: 0, evaluated: 0, slowest: { ms: 0, text: "" } }
  while (goesOn(tally)) {
    const text = textFrom(random)
    const field = random.of(FIELDS)
    const start = performance.now()
    try {
      tryOne(text, field, random, tally)
    } catch (error) {
      throw new Error(`seed ${seed}, text ${tally.texts}: ${JSON.stringify(text)} as ${field}`, {
        cause: error,
      })
    }
    const ms = performance.now() - start
    tally.texts += 1
    if (ms > tally.slowest.ms) tally.slowest = { ms, text }
  }
  return tally
}

function tryOne(text: string, field: Field, random: Random, tally: Tally): void {
  const compiled = tryCompile(text, field)
  if (compiled === undefined) return
  tally.accepted += 1
  for (const { offset, length } of lint(compiled, { effect: random.of(["allow", "deny"] as const) })) {
    requireWithin(text, offset, length)
  }
  const environment = environmentFrom(random)
  for (const outcome of [
    evaluate(compiled, environment, new Budget()),
    explain(compiled, environment).outcome,
  ]) {
    if ("fault" in outcome) requireWithin(text, outcome.fault.offset, outcome.fault.length)
    else if (typeof outcome.value !== "boolean") throw new Error("neither true nor false")
  }
  tally.evaluated += 1
}

function tryCompile(text: string, field: Field) {
  try {
    return compile(text, field)
  } catch (error) {
    if (!isFault(error, ...EXPRESSION_KINDS)) throw error
    requireWithin(text, error.place.offset, error.place.length)
    return undefined
  }
}

function requireWithin(text: string, offset: number, length: number): void {
  if (offset >= 0 && length >= 0 && offset + length <= text.length) return
  throw new Error(`points at ${offset}, ${length} of a text of ${text.length}`)
}

function textFrom(random: Random): string {
  if (random.below(10) === 0) return String.fromCharCode(...random.bytes(random.below(60)))
  if (random.below(10) === 0)
    return Array.from({ length: random.below(40) }, () => random.of(PIECES)).join(" ")
  let text = random.of(corpus).expression
  for (let changes = random.below(5); changes > 0; changes -= 1) text = changed(text, random)
  return text
}

function changed(text: string, random: Random): string {
  const [from, to] = [random.below(text.length + 1), random.below(text.length + 1)].toSorted(
    (a, b) => a - b,
  ) as [number, number]
  switch (random.below(8)) {
    case 0:
      return text.slice(0, from) + text.slice(Math.min(to, from + 8))
    case 1:
      return text.slice(0, from) + random.of(PIECES) + text.slice(from)
    case 2:
      return text.slice(0, from) + random.of(PIECES) + text.slice(from + 1)
    case 3:
      return (
        text.slice(0, from) +
        text
          .slice(from, to)
          .repeat(random.of([2, 3, 300]))
          .slice(0, 20_000) +
        text.slice(to)
      )
    case 4:
      return text.slice(0, from) + random.of(corpus).expression + text.slice(to)
    case 5:
      return `(${text}) ${random.of(["&&", "||", "==", "in"])} (${random.of(corpus).expression})`
    case 6:
      return `${random.of(["!", "(", "[", "{a:"]).repeat(random.of([1, 5, 70]))}${text}`
    default:
      return text.replaceAll(random.of(["'", " ", "a", "(", "==", "."]), () => random.of(PIECES))
  }
}

/** Roots of every field with values of their types, now and then of another, now and then none. */
function environmentFrom(random: Random): RootReader {
  const values = new Map<string, Value | undefined>()
  const types = new Map(FIELDS.flatMap((field) => Object.entries(namespaces[field].roots)))
  return (root) => {
    if (!values.has(root))
      values.set(root, random.below(12) === 0 ? undefined : valueOf(types.get(root), random, 0))
    return values.get(root)
  }
}

function valueOf(type: Type | undefined, random: Random, depth: number): Value {
  if (type === undefined || random.below(40) === 0) return dynamicValue(random, depth)
  switch (type.kind) {
    case "bool":
      return random.below(2) === 0
    case "int":
    case "uint":
    case "timestamp":
      return random.of([0n, 1n, 1_767_225_600_000n, 2n ** 127n, 2n ** 256n, -1n])
    case "string":
      return random.of(["", "0x", "0xa9059cbb", "SIGN", "a\u{1f511}", "x".repeat(2_000)])
    case "list":
      return Array.from({ length: random.of(depth === 0 ? [0, 1, 2, 1_000] : [0, 1, 5]) }, () =>
        valueOf(type.of, random, depth + 1),
      )
    case "map":
      return new Map(["to", "value", "amount"].map((key) => [key, valueOf(type.of, random, depth + 1)]))
    case "struct":
      return structOf(type, random, depth)
    case "dynamic":
      return dynamicValue(random, depth)
    default:
      return type satisfies never
  }
}

function structOf({ fields }: StructType, random: Random, depth: number): Value {
  const struct = new Map<string, Value | typeof fieldNotUsed>()
  for (const [name, type] of Object.entries(fields)) {
    const chance = random.below(20)
    if (chance === 1) struct.set(name, fieldNotUsed)
    // Lists of lists of structs would grow without end.
    else if (chance > 1)
      struct.set(name, depth > 1 && type.kind === "list" ? [] : valueOf(type, random, depth + 1))
  }
  return struct
}

function dynamicValue(random: Random, depth: number): Value {
  const simple: readonly Value[] = [
    true,
    5n,
    -5n,
    2n ** 300n,
    "0xab",
    new Caseless("0xAB"),
    "",
    [],
    new Map(),
  ]
  if (depth > 3 || random.below(2) === 0) return random.of(simple)
  const parts = Array.from({ length: random.below(4) }, () => dynamicValue(random, depth + 1))
  return random.below(2) === 0
    ? parts
    : new Map(parts.map((part, index) => [random.of(["to", "value", `${index}`]), part]))
}

if (import.meta.main) {
  const [minutes = 10, seed = Date.now() % 2 ** 32] = process.argv.slice(2).map(Number)
  const end = performance.now() + minutes * 60_000
  console.log(`fuzzing for ${minutes} minutes with seed ${seed}`)
  const tally = fuzz(seed, () => performance.now() < end)
  console.log(
    `${tally.texts} texts, ${tally.accepted} accepted, ${tally.evaluated} evaluated, the slowest took ${Math.round(tally.slowest.ms)} ms`,
  )
  if (tally.slowest.ms > MAX_MS) {
    console.error(`too slow: ${JSON.stringify(tally.slowest.text)}`)
    process.exitCode = 1
  }
}
