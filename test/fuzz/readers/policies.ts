// Expressions of the policy language, and random values for those that are accepted. Each gives an expression, a fault with its place, a
// value or an evaluation fault: no other error.
import { EXPRESSION_KINDS, isFault } from "../../../signer/core/fault.ts"
import { explain } from "../../../services/policy-advice/explain.ts"
import { lint } from "../../../services/policy-advice/lint.ts"
import { Budget, compile, evaluate, type Field } from "../../../signer/core/policy/expression.ts"
import { corpus } from "../../signer/core/policy/language/corpus.ts"
import { Difference, type Reader } from "../engine/reader.ts"
import { Random } from "../random.ts"
import { environmentFrom } from "./policy-values.ts"

const FIELDS: readonly Field[] = ["condition", "consensus", "time"]

type Compiled = ReturnType<typeof compile>

export const policies: Reader<Compiled[] | undefined> = {
  maxLength: 20_000,
  seeds: () => corpus.map(({ expression }) => expression),
  read(input) {
    const text = input.toString()
    const random = new Random(seedOf(input))
    const compiled = FIELDS.flatMap((field) => tryCompile(text, field) ?? [])
    for (const one of compiled) runs(text, one, random)
    return compiled.length === 0 ? undefined : compiled
  },
  isRefusal: () => false,
}

function tryCompile(text: string, field: Field): Compiled | undefined {
  try {
    return compile(text, field)
  } catch (error) {
    if (!isFault(error, ...EXPRESSION_KINDS)) throw error
    requireWithin(text, error.place.offset, error.place.length)
    return undefined
  }
}

function runs(text: string, compiled: Compiled, random: Random): void {
  for (const { offset, length } of lint(compiled, { effect: random.of(["allow", "deny"] as const) }))
    requireWithin(text, offset, length)
  const environment = environmentFrom(random, FIELDS)
  const outcomes = [evaluate(compiled, environment, new Budget()), explain(compiled, environment).outcome]
  for (const outcome of outcomes) {
    if ("fault" in outcome) requireWithin(text, outcome.fault.offset, outcome.fault.length)
    else if (typeof outcome.value !== "boolean") throw new Difference("neither true nor false")
  }
}

function requireWithin(text: string, offset: number, length: number): void {
  if (offset >= 0 && length >= 0 && offset + length <= text.length) return
  throw new Difference(`a fault is at ${offset}, ${length} of a text of ${text.length}`)
}

/** The values are the same for the same text. */
function seedOf(input: Buffer): number {
  return input.reduce((sum, byte) => (Math.imul(sum, 31) + byte) >>> 0, 7)
}
