import { check, requireBool } from "./check.ts"
import type { Checked } from "./checked.ts"
import type { Span } from "./fault.ts"
import { Linker, type Run } from "./link.ts"
import type { Field, Namespace } from "./namespace.ts"
import { parse } from "./parser.ts"

/** An expression that can be evaluated any number of times. */
export type Compiled = {
  readonly text: string
  readonly field: Field
  readonly namespace: Namespace
  /** Roots it reads, by their dotted names. */
  readonly roots: ReadonlySet<string>
  readonly syntax: Checked
  readonly program: Program
}

/** The closures of an expression. */
export type Program = {
  readonly test: Run<boolean>
  /** Roots in the order in which closures number them. */
  readonly roots: readonly string[]
  readonly size: number
  readonly place: Span
}

/**
 * Parses and checks an expression and makes it ready to be evaluated.
 *
 * @throws ExpressionFault
 */
export function compileIn(namespace: Namespace, text: string): Compiled {
  const syntax = requireBool(check(parse(text), namespace))
  const program = link(syntax)
  return { text, field: namespace.field, namespace, roots: new Set(program.roots), syntax, program }
}

/** Makes a part that is true or false ready to run by itself. */
export function link(tree: Checked): Program {
  const linker = new Linker()
  const test = linker.test(tree)
  return { test, roots: linker.roots, size: tree.size, place: tree }
}
