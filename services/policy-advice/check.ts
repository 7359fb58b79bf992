import { type Compiled, compile, ExpressionFault, type Field } from "../../signer/core/policy/expression.ts"
import { lint } from "./lint.ts"
import type { Known, Warning } from "./warning.ts"
import { suggestionFor, withSuggestion } from "./suggestions.ts"

/** Advice about one expression before it is used. */
export type Checked = {
  field: Field
  text: string
  /** Why the signer would refuse the expression. */
  fault?: { offset: number; length: number; sentence: string } | undefined
  /** Parts that are probably not intended. */
  warnings: readonly Warning[]
}

/** Warnings about a policy as a whole. */
export function policyWarnings(effect: "allow" | "deny", { condition, consensus }: Texts): string[] {
  if (condition || consensus) return []
  return effect === "allow"
    ? ["neither condition nor consensus: it allows everybody everything that is not the root quorum's alone"]
    : ["neither condition nor consensus: it denies everybody everything, but for the root quorum"]
}

/** The three expressions of a policy. */
export type Texts = { readonly [field in Field]?: string | undefined }

const FIELDS: readonly Field[] = ["condition", "consensus", "time"]

/** Checks the expressions that a policy has. */
export function checkExpressions(texts: Texts, known: Known): Checked[] {
  return compileExpressions(texts, known).map(({ compiled: _compiled, ...checked }) => checked)
}

/** Checks the same; those that compile are returned compiled. */
export function compileExpressions(texts: Texts, known: Known): (Checked & { compiled?: Compiled })[] {
  return FIELDS.flatMap((field) => {
    const text = texts[field]
    return text === undefined || text === "" ? [] : [checkExpression(field, text, known)]
  })
}

function checkExpression(field: Field, text: string, known: Known): Checked & { compiled?: Compiled } {
  try {
    const compiled = compile(text, field)
    return { field, text, warnings: lint(compiled, known), compiled }
  } catch (fault) {
    if (!(fault instanceof ExpressionFault)) throw fault
    const { kind, offset, length, message } = fault
    const sentence = withSuggestion(message, suggestionFor(fault, text), kind)
    return { field, text, fault: { offset, length, sentence }, warnings: [] }
  }
}
