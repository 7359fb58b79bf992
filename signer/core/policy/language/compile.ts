import { check, requireBool } from "./check.ts"
import type { Checked } from "./checked.ts"
import { type Closure, ClosureBuilder } from "./closures.ts"
import type { Span } from "./fault.ts"
import type { Field, Namespace } from "./namespace.ts"
import { parse } from "./parser.ts"

/** An expression that can be evaluated any number of times. */
export type Compiled = {
  readonly text: string
  readonly field: Field
  /** Dotted names of the roots that it reads. */
  readonly roots: ReadonlySet<string>
  readonly syntax: Checked
  readonly program: Program
}

/** The closures of an expression. */
export type Program = {
  readonly test: Closure<boolean>
  /** Roots by their index in `Frame.roots`. */
  readonly roots: readonly string[]
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

/** The program of a node that is true or false. */
export function programOf(tree: Checked): Program {
  const builder = new ClosureBuilder()
  const test = builder.boolClosure(tree)
  return { test, roots: builder.roots, size: tree.size, place: tree }
}
