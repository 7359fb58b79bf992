import { EXPRESSION_KINDS, isFault } from "../../../../../signer/core/fault.ts"
import {
  Budget,
  Caseless,
  compile,
  type RootReader,
  evaluate,
  type EvaluationFault,
  type Field,
  members,
  type Value,
  type ExpressionFault,
} from "../../../../../signer/core/policy/expression.ts"

/** Plain data as a request's values: records become members, numbers bigints, what is there already stays. */
export type Plain = Value | number | readonly Plain[] | { readonly [name: string]: Plain | symbol }

export function valueOf(plain: Plain): Value {
  if (typeof plain === "number") return BigInt(plain)
  if (Array.isArray(plain)) return plain.map((one: Plain) => valueOf(one))
  if (typeof plain !== "object" || plain instanceof Map || plain instanceof Caseless) return plain as Value
  const entries = Object.entries(plain as { [name: string]: Plain | symbol })
  return members(
    Object.fromEntries(
      entries.map(([name, value]) => [name, typeof value === "symbol" ? (value as never) : valueOf(value)]),
    ),
  )
}

/** An environment of these roots and no others. */
export function rootReader(roots: { readonly [root: string]: Plain }): RootReader {
  const values = new Map(Object.entries(roots).map(([root, plain]) => [root, valueOf(plain)]))
  return (root) => values.get(root)
}

/** The result of an expression: true, false or the fault. */
export function resultOf(
  text: string,
  roots: { readonly [root: string]: Plain } = {},
  field: Field = "condition",
): boolean | EvaluationFault {
  const result = evaluate(compile(text, field), rootReader(roots), new Budget())
  return "value" in result ? result.value : result.fault
}

export function faultOf(text: string, field: Field = "condition"): ExpressionFault | undefined {
  try {
    compile(text, field)
    return undefined
  } catch (error) {
    if (isFault(error, ...EXPRESSION_KINDS)) return error
    throw error
  }
}

/** The text that a fault points at. */
export function textAt(
  text: string,
  span: { offset: number; length: number } | undefined,
): string | undefined {
  return span && text.slice(span.offset, span.offset + span.length)
}
