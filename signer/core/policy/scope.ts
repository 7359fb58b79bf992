import { Budget, type Compiled, type Environment, evaluate } from "./expression.ts"

/**
 * Whether a session that is confined to this scope may make a request, of which the scope sees these facts: every part
 * has to be allowed. `undecided`: it cannot be evaluated, and lets nothing through.
 */
export function judgeScope(
  scope: Compiled,
  facts: readonly Environment[],
): "allowed" | "denied" | "undecided" {
  const budget = new Budget()
  const answers = facts.map((part) => evaluate(scope, part, budget))
  if (answers.some((answer) => "fault" in answer)) return "undecided"
  const isAllowed = answers.length > 0 && answers.every((answer) => "value" in answer && answer.value)
  return isAllowed ? "allowed" : "denied"
}
