import { type Budget, type Compiled, evaluate, type Evaluation, type RootReader } from "../expression.ts"
import { approvalFacts, timeFacts } from "../facts/approvals.ts"
import { inFairShares } from "../fair-shares.ts"
import { runAtOnce } from "../../turns/steps.ts"
import type { DecisionInput } from "./decision-input.ts"
import type { CompiledExpression, CompiledPolicy } from "./policy-set.ts"

/**
 * The result of one expression.
 *
 * - "absent": every evaluation of it reads a root that the activity does not have
 * - "exhausted": it cost too much and was stopped
 * - "error": it has no value for another reason
 */
export type ExpressionResult = "true" | "false" | "absent" | "exhausted" | "error"

/** The results of all time and consensus expressions, which are the same for every item. */
export function evaluateApprovals(
  { nowMs, approvals }: Pick<DecisionInput, "nowMs" | "approvals">,
  policies: readonly CompiledPolicy[],
  budget: Budget,
): ReadonlyMap<Compiled, ExpressionResult> {
  const readers = { time: timeFacts(nowMs), consensus: approvalFacts(approvals) }
  const tasks = new Map<Compiled, RootReader>()
  for (const { time, consensus } of policies) {
    for (const one of compiledOf(time)) tasks.set(one, readers.time)
    for (const one of compiledOf(consensus)) tasks.set(one, readers.consensus)
  }
  const results = new Map<Compiled, ExpressionResult>()
  const run = ([expression, readRoot]: [Compiled, RootReader], share: Budget) => {
    const result = resultOf(evaluate(expression, readRoot, share))
    results.set(expression, result)
    return result !== "exhausted"
  }
  runAtOnce(inFairShares(tasks, budget, run))
  return results
}

export function compiledOf(expression: CompiledExpression): readonly Compiled[] {
  return typeof expression === "string" ? [] : [expression]
}

export const RESULT_WITHOUT_EXPRESSION = { absent: "true", broken: "error" } as const

export function resultOf(evaluation: Evaluation): ExpressionResult {
  if ("value" in evaluation) return evaluation.value ? "true" : "false"
  return evaluation.fault.reason === "budget" ? "exhausted" : "error"
}
