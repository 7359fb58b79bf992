import { expressionFault, excerpt, type Span, type ExpressionFault } from "./fault.ts"
import { type Checked, checkedNode } from "./checked.ts"
import type { Name, Syntax } from "./syntax.ts"
import { fieldOf, nameOfType, type StructType, type Type } from "./types.ts"

export function rootType({ roots }: Namespace, root: string): Type | undefined {
  return Object.hasOwn(roots, root) ? roots[root] : undefined
}

export function secondWords({ roots }: Namespace, word: string): string[] {
  const matching = Object.keys(roots).filter((root) => root.startsWith(`${word}.`))
  return matching.map((root) => root.slice(word.length + 1))
}

export function firstWords({ roots }: Namespace): string[] {
  return Object.keys(roots).map(firstWord)
}

export function fieldNode(node: Syntax, object: Checked, of: StructType, name: Name): Checked {
  const aliases = of.aliases ?? {}
  const canonical = (Object.hasOwn(aliases, name.name) ? aliases[name.name] : undefined) ?? name.name
  const type = fieldOf(of, canonical)
  if (type === undefined) throw unknownField(name.name, name, Object.keys(of.fields))
  return checkedNode(node, type, { kind: "field", object, of, name: canonical })
}

/** @param known names that exist there */
export function unknownField(name: string, span: Span, known: readonly string[]): ExpressionFault {
  const found = excerpt(name)
  return expressionFault("unknown-field", span, `field does not exist: ${name}`, { found, known })
}

/** A dot behind a value without fields. */
export function noField({ type }: Checked, name: Name): ExpressionFault {
  const isKeyed = type.kind === "map" || type.kind === "dynamic"
  return expressionFault("type", name, `${nameOfType(type)} has no fields`, {
    expected: isKeyed ? "a key in brackets" : "a method or an operator",
    found: excerpt(name.name),
  })
}

export function unknownFunction({ name, ...place }: Name): ExpressionFault {
  return expressionFault("syntax", place, `function does not exist: ${excerpt(name)}`, {
    expected: "Timestamp, CronSpan or CaseInsensitiveString",
    found: excerpt(name),
  })
}

/** The field of an expression. Session scopes and MFA conditions are conditions too. */
export type Field = "condition" | "consensus" | "time"

export type Namespace = {
  readonly field: Field
  /** Types of the roots by their dotted names of one or two words: `wallet`, `eth.tx`. */
  readonly roots: Readonly<Record<string, Type>>
  /** The root that holds the current instant; `Timestamp` and `CronSpan` exist only where there is one. */
  readonly clock?: string
  /** First words of the roots of all fields; variables cannot have these names. */
  readonly rootWords: ReadonlySet<string>
}

export function firstWord(root: string): string {
  return root.split(".", 1)[0] ?? root
}
