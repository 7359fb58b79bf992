import type { Program } from "./compile.ts"
import { type EvaluationFault, EvaluationStop } from "./fault.ts"
import { type Budget, Frame } from "./frame.ts"
import { MAX_STEPS } from "./limits.ts"
import type { Value } from "./value.ts"

/** Gives the value of a root by its dotted name; undefined for a root that the request does not have. */
export type RootReader = (root: string) => Value | undefined

export type Evaluation = { readonly value: boolean } | { readonly fault: EvaluationFault }

/** Evaluates an expression. All of it is evaluated; the first fault in the order of the text leaves it without a value. */
export function evaluate(
  { program }: { readonly program: Program },
  readRoot: RootReader,
  budget: Budget,
): Evaluation {
  const steps = Math.min(MAX_STEPS, budget.left)
  const frame = new Frame(program.roots.map(readRoot), steps)
  try {
    frame.charge(program.size, program.place)
    return { value: program.test(frame) }
  } catch (error) {
    if (error instanceof EvaluationStop) return { fault: error.fault }
    throw error
  } finally {
    budget.spend(steps - Math.max(frame.left, 0))
  }
}
