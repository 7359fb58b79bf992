import { type Compiled, compile, ExpressionFault, type Field } from "../../signer/core/policy/expression.ts"
import { type Known, lint, type Warning } from "./lint.ts"
import { suggestionFor, withSuggestion } from "./suggestions.ts"

/** What an author should know of one expression before it is used. */
export type Checked = {
  field: Field
  text: string
  /** Why it would be refused. */
  fault?: { offset: number; length: number; sentence: string } | undefined
  /** What is probably not meant. */
  warnings: readonly Warning[]
}

/** What an author should know of a policy whatever its expressions say. */
export function policyWarnings(effect: "allow" | "deny", { condition, consensus }: Texts): string[] {
  if (condition || consensus) return []
  return effect === "allow"
    ? ["neither condition nor consensus: it allows everybody everything that is not the root quorum's alone"]
    : ["neither condition nor consensus: it denies everybody everything, but for the root quorum"]
}

/** The three expressions of a policy. */
export type Texts = { readonly [field in Field]?: string | undefined }

const FIELDS: readonly Field[] = ["condition", "consensus", "time"]

/** Looks at those expressions of a policy that are there. */
export function checkExpressions(texts: Texts, known: Known): Checked[] {
  return compileExpressions(texts, known).map(({ compiled: _compiled, ...checked }) => checked)
}

/** The same, with those that compile ready to be evaluated. */
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
