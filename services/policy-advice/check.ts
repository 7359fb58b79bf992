import { EXPRESSION_KINDS, isFault } from "../../signer/core/fault.ts"
import { type Compiled, compile, type Field } from "../../signer/core/policy/expression.ts"
import type { CompiledExpression, CompiledPolicy } from "../../signer/core/policy/decision/policy-set.ts"
import { lint } from "./lint.ts"
import type { OrganizationNames, Warning } from "./warning.ts"
import { suggestionFor, withSuggestion } from "./suggestions.ts"

/** Advice about one expression before it is used. */
export type ExpressionAdvice = {
  field: Field
  text: string
  /** The fault for which the signer would refuse the expression. */
  fault?: { offset: number; length: number; sentence: string } | undefined
  /** Warnings about parts of the expression. */
  warnings: readonly Warning[]
}

/** Warnings about a policy as a whole. */
export function policyWarnings(
  effect: "allow" | "deny",
  { condition, consensus, time }: PolicyExpressions,
): string[] {
  if (condition || consensus) return []
  const when = time ? " while its time expression is true" : ""
  return effect === "allow"
    ? [
        `neither condition nor consensus: it lets every user do everything, except what only the root quorum may do${when}`,
      ]
    : [`neither condition nor consensus: it denies every activity to all but the root quorum${when}`]
}

/** The three expressions of a policy. */
export type PolicyExpressions = { readonly [field in Field]?: string | undefined }

const FIELDS: readonly Field[] = ["condition", "consensus", "time"]

/** Checks the expressions that a policy has. */
export function checkExpressions(texts: PolicyExpressions, known: OrganizationNames): ExpressionAdvice[] {
  return compileExpressions(texts, known).map(({ compiled: _compiled, ...checked }) => checked)
}

/**
 * As checkExpressions; an expression without fault is also returned compiled.
 * @param policy the same policy, compiled before
 */
export function compileExpressions(
  texts: PolicyExpressions,
  known: OrganizationNames,
  policy?: CompiledPolicy,
): (ExpressionAdvice & { compiled?: Compiled })[] {
  const present = FIELDS.filter((field) => texts[field])
  const ofPolicy = { ...known, isAlone: present.length === 1 }
  return present.map((field) => checkExpression(field, texts[field] ?? "", ofPolicy, policy?.[field]))
}

function checkExpression(
  field: Field,
  text: string,
  known: OrganizationNames,
  before: CompiledExpression | undefined,
): ExpressionAdvice & { compiled?: Compiled } {
  try {
    const compiled = typeof before === "object" ? before : compile(text, field)
    return { field, text, warnings: lint(compiled, known), compiled }
  } catch (fault) {
    if (!isFault(fault, ...EXPRESSION_KINDS)) throw fault
    const { kind, message } = fault
    const { offset, length } = fault.place
    const sentence = withSuggestion(message, suggestionFor(fault, text, field), kind)
    return { field, text, fault: { offset, length, sentence }, warnings: [] }
  }
}
