import { type Outcome, Effect } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument, Policy } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  Budget,
  type Compiled,
  type RootReader,
  evaluate,
  type Evaluation,
  type Field,
} from "../../signer/core/policy/expression.ts"
import { type ExpressionAdvice, compileExpressions, policyWarnings } from "./check.ts"
import { decidingClauses, explain } from "./explain.ts"
import { knownNamesOf } from "./known.ts"

/** The outcome of one policy, and the clauses that decided it. */
export type PolicyTrace = {
  /** Empty for a draft that is a new policy. */
  policyId: string
  name: string
  effect: "allow" | "deny"
  outcome: Outcome
  expressions: ExpressionTrace[]
  /** Warnings about the policy as a whole. */
  warnings: string[]
}

export type ExpressionTrace = ExpressionAdvice & {
  result: ExpressionResult
  /** The clauses that decided the result, in the order of the text. */
  deciding: Clause[]
}

/** "invalid": the expression would be refused. "error": it has no value for this activity. */
export type ExpressionResult = "true" | "false" | "error" | "invalid"

/** A clause with its result. `sentence`: the reason why it has no value. */
export type Clause = {
  offset: number
  length: number
  text: string
  result: ExpressionResult
  sentence?: string
}

/**
 * Limit on the steps of all evaluations for traces. Explaining an expression takes twice as many steps again, which are not
 * counted. After the limit expressions have a result and no clauses.
 */
const MAX_TRACE_STEPS = 50_000

/** The values of roots, by field. */
export type RootReaders = { readonly [field in Field]: RootReader }

/** Explains policies one after another, within one budget for all of them. */
export class Explainer {
  readonly #document: OrganizationDocument
  readonly #rootReaders: RootReaders
  readonly #budget = new Budget(MAX_TRACE_STEPS)

  constructor(document: OrganizationDocument, rootReaders: RootReaders) {
    this.#document = document
    this.#rootReaders = rootReaders
  }

  trace({ policyId, name, effect: declared, ...texts }: Policy, outcome: Outcome): PolicyTrace {
    const effect = declared === Effect.ALLOW ? "allow" : "deny"
    const expressions = compileExpressions(texts, knownNamesOf(effect, this.#document))
    return {
      policyId,
      name,
      effect,
      outcome,
      expressions: expressions.map((one) => this.#explain(one)),
      warnings: policyWarnings(effect, texts),
    }
  }

  #explain({ compiled, ...checked }: ExpressionAdvice & { compiled?: Compiled }): ExpressionTrace {
    const { field } = checked
    if (compiled === undefined) return { ...checked, result: "invalid", deciding: [] }
    const readRoot = this.#rootReaders[field]
    const evaluation = evaluate(compiled, readRoot, this.#budget)
    const clauses = this.#budget.left === 0 ? [] : decidingClauses(explain(compiled, readRoot))
    return {
      ...checked,
      result: resultOf(evaluation),
      deciding: clauses.map(({ offset, length, text: clause, outcome }) => ({
        offset,
        length,
        text: clause,
        result: resultOf(outcome),
        ...("fault" in outcome && { sentence: outcome.fault.sentence }),
      })),
    }
  }
}

function resultOf(evaluation: Evaluation): ExpressionResult {
  if ("fault" in evaluation) return "error"
  return evaluation.value ? "true" : "false"
}
