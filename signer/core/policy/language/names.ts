import { type Checked, checkedNode } from "./checked.ts"
import { excerpt, ExpressionFault, type Span } from "./fault.ts"
import { firstWord, type Namespace } from "./namespace.ts"
import type { Name, Syntax } from "./syntax.ts"
import { fieldOf, nameOfType, type StructType, type Type } from "./types.ts"

/** Looks up names of roots. */
export class Names {
  readonly #namespace: Namespace

  constructor(namespace: Namespace) {
    this.#namespace = namespace
  }

  rootType(root: string): Type | undefined {
    return Object.hasOwn(this.#namespace.roots, root) ? this.#namespace.roots[root] : undefined
  }

  /** Second words of the roots that begin with this one. */
  below(word: string): string[] {
    const roots = Object.keys(this.#namespace.roots).filter((root) => root.startsWith(`${word}.`))
    return roots.map((root) => root.slice(word.length + 1))
  }

  /** A name that is neither a root nor one of these variables. */
  unknownName(name: string, place: Span, variables: readonly string[]): ExpressionFault {
    return unknownField(name, place, [...Object.keys(this.#namespace.roots).map(firstWord), ...variables])
  }
}

/** Reads a field of a struct. */
export function fieldNode(node: Syntax, object: Checked, of: StructType, name: Name): Checked {
  const aliases = of.aliases ?? {}
  const canonical = (Object.hasOwn(aliases, name.name) ? aliases[name.name] : undefined) ?? name.name
  const type = fieldOf(of, canonical)
  if (type === undefined) throw unknownField(name.name, name, Object.keys(of.fields))
  return checkedNode(node, type, { kind: "field", object, of, name: canonical })
}

export function unknownField(name: string, span: Span, known: readonly string[]): ExpressionFault {
  return new ExpressionFault("unknown-field", span, `field does not exist: ${name}`, {
    found: excerpt(name),
    known,
  })
}

/** A dot behind something that has no fields. */
export function noField({ type }: Checked, name: Name): ExpressionFault {
  const keyed = type.kind === "map" || type.kind === "dynamic"
  return new ExpressionFault("type", name, `${nameOfType(type)} has no fields`, {
    expected: keyed ? "a key in brackets" : "a method or an operator",
    found: excerpt(name.name),
  })
}

export function unknownFunction({ name, ...place }: Name): ExpressionFault {
  return new ExpressionFault("syntax", place, `function does not exist: ${excerpt(name)}`, {
    expected: "Timestamp, CronSpan or CaseInsensitiveString",
    found: excerpt(name),
  })
}
