import { Budget, type Compiled, evaluate, type RootReader } from "./expression.ts"

/** The result of a session's scope, which must allow every item. "undecided": it cannot be evaluated, so the request is refused. */
export function evaluateScope(
  scope: Compiled,
  facts: readonly RootReader[],
): "allowed" | "denied" | "undecided" {
  const budget = new Budget()
  const evaluations = facts.map((item) => evaluate(scope, item, budget))
  if (evaluations.some((evaluation) => "fault" in evaluation)) return "undecided"
  const isAllowed =
    evaluations.length > 0 && evaluations.every((evaluation) => "value" in evaluation && evaluation.value)
  return isAllowed ? "allowed" : "denied"
}
