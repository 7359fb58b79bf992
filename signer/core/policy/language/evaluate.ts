import type { Budget } from "./budget.ts"
import type { Compiled } from "./compile.ts"
import { type EvaluationFault, Stop } from "./fault.ts"
import { Frame } from "./frame.ts"
import { MAX_STEPS } from "./limits.ts"
import type { Value } from "./value.ts"

/** Values of roots by their dotted names; undefined for those that the request does not have. */
export type Environment = (root: string) => Value | undefined

export type Evaluation = { readonly value: boolean } | { readonly fault: EvaluationFault }

/**
 * Evaluates an expression. Every sub-expression is evaluated, whatever the others gave: one fault anywhere and the
 * whole has no value. The first in the order of evaluation, which is that of the text, is told.
 */
export function evaluate(
  { program }: Pick<Compiled, "program">,
  environment: Environment,
  budget: Budget,
): Evaluation {
  const steps = Math.min(MAX_STEPS, budget.left)
  const frame = new Frame(program.roots.map(environment), steps)
  try {
    frame.charge(program.size, program.place)
    return { value: program.test(frame) }
  } catch (error) {
    if (error instanceof Stop) return { fault: error.fault }
    throw error
  } finally {
    budget.spend(steps - Math.max(frame.left, 0))
  }
}
