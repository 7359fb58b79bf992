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
import { type Checked, compileExpressions, policyWarnings } from "./check.ts"
import { deciding, explain } from "./explain.ts"
import { knownOf } from "./known.ts"

/** What one policy came to, and by which of its clauses. */
export type PolicyTrace = {
  /** Empty: a draft that takes no other's place. */
  policyId: string
  name: string
  effect: "allow" | "deny"
  outcome: Outcome
  expressions: ExpressionTrace[]
  /** Of the policy as a whole. */
  warnings: string[]
}

export type ExpressionTrace = Checked & {
  result: Result
  /** The clauses that made the result what it is, in the order of the text. */
  deciding: Clause[]
}

/** "invalid": it would be refused. "error": it has no value for this activity. */
export type Result = "true" | "false" | "error" | "invalid"

/** `sentence`: why it has no value. */
export type Clause = { offset: number; length: number; text: string; result: Result; sentence?: string }

/**
 * Steps of all evaluations that are made to explain; explaining an expression costs twice as much again. What is left
 * when they are used up has a result and no clauses.
 */
const EXPLAINING_STEPS = 50_000

/** Where each field finds its values. */
export type RootReaders = { readonly [field in Field]: RootReader }

/** Explains policies one after another, with what all of them together may cost. */
export class Explainer {
  readonly #document: OrganizationDocument
  readonly #environments: RootReaders
  readonly #budget = new Budget(EXPLAINING_STEPS)

  constructor(document: OrganizationDocument, environments: RootReaders) {
    this.#document = document
    this.#environments = environments
  }

  trace({ policyId, name, effect: declared, ...texts }: Policy, outcome: Outcome): PolicyTrace {
    const effect = declared === Effect.ALLOW ? "allow" : "deny"
    const expressions = compileExpressions(texts, knownOf(effect, this.#document))
    return {
      policyId,
      name,
      effect,
      outcome,
      expressions: expressions.map((one) => this.#explain(one)),
      warnings: policyWarnings(effect, texts),
    }
  }

  #explain({ compiled, ...checked }: Checked & { compiled?: Compiled }): ExpressionTrace {
    const { field } = checked
    if (compiled === undefined) return { ...checked, result: "invalid", deciding: [] }
    const environment = this.#environments[field]
    const evaluation = evaluate(compiled, environment, this.#budget)
    const clauses = this.#budget.left === 0 ? [] : deciding(explain(compiled, environment))
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

function resultOf(evaluation: Evaluation): Result {
  if ("fault" in evaluation) return "error"
  return evaluation.value ? "true" : "false"
}
