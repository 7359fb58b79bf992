import { check, requireBool } from "./check.ts"
import type { Checked } from "./checked.ts"
import { type Closure, ClosureBuilder, missingRoot } from "./closures.ts"
import { type EvaluationFault, EvaluationStop, type Span } from "./fault.ts"
import type { Field, Namespace } from "./names.ts"
import { parse } from "./parser.ts"
import type { Value } from "./value.ts"
import { type Budget, Frame } from "./frame.ts"
import { MAX_STEPS, STEPS_PER_EVALUATION } from "./limits.ts"

/** An expression that can be evaluated any number of times. */
export type Compiled = {
  readonly text: string
  readonly field: Field
  /** Dotted names of the roots that it reads. */
  readonly roots: ReadonlySet<string>
  readonly syntax: Checked
  readonly program: Program
}

export type Program = {
  readonly test: Closure<boolean>
  /** Roots by their index in `Frame.roots`. */
  readonly roots: readonly string[]
  /** Places of the roots that every evaluation reads, in the order of the text. */
  readonly required: ReadonlyMap<string, Span>
  /** Nodes of the tree: the least that one evaluation costs, in steps. */
  readonly size: number
  readonly place: Span
}

/** @throws ExpressionFault */
export function compileIn(namespace: Namespace, text: string): Compiled {
  const syntax = requireBool(check(parse(text), namespace))
  const program = programOf(syntax)
  return { text, field: namespace.field, roots: new Set(program.roots), syntax, program }
}

export function programOf(tree: Checked): Program {
  const builder = new ClosureBuilder()
  const test = builder.boolClosure(tree)
  const { roots, required } = builder
  return { test, roots, required, size: tree.size, place: tree }
}

/** Gives the value of a root by its dotted name; undefined for a root that the request does not have. */
export type RootReader = (root: string) => Value | undefined

export type Evaluation = { readonly value: boolean } | { readonly fault: EvaluationFault }

/**
 * Evaluates an expression. A root that every evaluation reads and the request lacks is the fault before all others. So the kind
 * of a fault does not depend on the order of operands. Otherwise all of it is evaluated, and the first fault in the order of
 * the text leaves it without a value.
 */
export function evaluate(
  { program }: { readonly program: Program },
  readRoot: RootReader,
  budget: Budget,
): Evaluation {
  const steps = Math.min(MAX_STEPS, budget.left)
  const frame = new Frame(program.roots.map(readRoot), steps)
  try {
    frame.charge(STEPS_PER_EVALUATION, program.place)
    const missing = missingRootOf(program, frame)
    if (missing !== undefined) return missing
    frame.charge(program.size, program.place)
    return { value: program.test(frame) }
  } catch (error) {
    if (error instanceof EvaluationStop) return { fault: error.fault }
    throw error
  } finally {
    budget.spend(steps - Math.max(frame.left, 0))
  }
}

/** Returned and not thrown: most policies lack a root of most requests, and throwing costs more than all other steps. */
function missingRootOf({ roots, required }: Program, frame: Frame): Evaluation | undefined {
  for (const [index, root] of roots.entries()) {
    const place = required.get(root)
    if (place !== undefined && frame.roots[index] === undefined)
      return { fault: missingRoot(root, place).fault }
  }
  return undefined
}

/** True if every evaluation of an expression reads a root that the request does not have. */
export function lacksRoot({ program }: { readonly program: Program }, readRoot: RootReader): boolean {
  return [...program.required.keys()].some((root) => readRoot(root) === undefined)
}
