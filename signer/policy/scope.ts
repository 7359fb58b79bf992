import { Budget, type Compiled, type Environment, evaluate } from "./expression.ts"

/**
 * Why the session that stamps may not do this; undefined: it may. It has to be limited to every part of the activity,
 * and a limit that cannot be evaluated lets nothing through.
 */
export function scopeFault(scope: Compiled, facts: readonly Environment[]): string | undefined {
  const budget = new Budget()
  const answers = facts.map((one) => evaluate(scope, one, budget))
  if (answers.some((answer) => "fault" in answer))
    return "the session's scope cannot be evaluated for this action"
  const isInside = answers.every((answer) => "value" in answer && answer.value)
  return isInside ? undefined : "the session's scope does not hold this action"
}
