import { type Checked, made } from "./checked.ts"
import { ExpressionFault, type Span } from "./fault.ts"
import { advise, shown, suggestName } from "./hints.ts"
import { firstWord, type Namespace } from "./namespace.ts"
import type { Name, Syntax } from "./syntax.ts"
import { fieldOf, nameOfType, type StructType, type Type } from "./types.ts"

/** Looks names up, and says which was probably meant where one does not exist. */
export class Names {
  readonly #namespace: Namespace
  readonly #words: ReadonlySet<string>

  constructor(namespace: Namespace) {
    this.#namespace = namespace
    const roots = [...Object.keys(namespace.roots), ...(namespace.elsewhere?.keys() ?? [])]
    this.#words = new Set(roots.map(firstWord))
  }

  rootType(root: string): Type | undefined {
    return Object.hasOwn(this.#namespace.roots, root) ? this.#namespace.roots[root] : undefined
  }

  /** Whether it is the first word of a root, of this field or another: no variable may be called so. */
  isRootWord(word: string): boolean {
    return this.#words.has(word)
  }

  /** Second words of the roots that begin with this one. */
  below(word: string): string[] {
    const roots = Object.keys(this.#namespace.roots).filter((root) => root.startsWith(`${word}.`))
    return roots.map((root) => root.slice(word.length + 1))
  }

  /** A name that is neither a root nor one of these variables. */
  unknownName(name: string, place: Span, variables: readonly string[]): ExpressionFault {
    const words = Object.keys(this.#namespace.roots).map(firstWord)
    return this.unknownRoot(name, name, place, [...words, ...variables])
  }

  unknownRoot(root: string, name: string, place: Span, existing: readonly string[]): ExpressionFault {
    const others = [...(this.#namespace.elsewhere ?? [])]
    const field = others.find(([other]) => other === root || firstWord(other) === root)?.[1]
    if (field === undefined) return unknownField(name, place, suggestName(name, existing))
    return unknownField(name, place, { suggestion: `${firstWord(root)} belongs in a ${field} expression` })
  }
}

/** Reads a field of a struct. */
export function fieldNode(node: Syntax, object: Checked, of: StructType, name: Name): Checked {
  const aliases = of.aliases ?? {}
  const canonical = (Object.hasOwn(aliases, name.name) ? aliases[name.name] : undefined) ?? name.name
  const type = fieldOf(of, canonical)
  if (type === undefined) throw unknownField(name.name, name, suggestName(name.name, Object.keys(of.fields)))
  return made(node, type, { kind: "field", object, of, name: canonical })
}

function unknownField(name: string, span: Span, advice: { suggestion?: string }): ExpressionFault {
  return new ExpressionFault("unknown-field", span, `field does not exist: ${name}`, {
    found: shown(name),
    ...advice,
  })
}

/** A dot behind something that has no fields. */
export function noField({ type }: Checked, name: Name): ExpressionFault {
  const keyed = type.kind === "map" || type.kind === "dynamic"
  const suggestion = keyed ? `['${name.name}']` : advise(name.name).suggestion
  return new ExpressionFault("type", name, `${nameOfType(type)} has no fields`, {
    expected: keyed ? "a key in brackets" : "a method or an operator",
    found: shown(name.name),
    ...(suggestion === undefined ? {} : { suggestion }),
  })
}

export function unknownFunction({ name, ...place }: Name): ExpressionFault {
  const isMethod = ["contains", "any", "all", "filter", "count"].includes(name)
  return new ExpressionFault("syntax", place, `function does not exist: ${shown(name)}`, {
    expected: "Timestamp, CronSpan or CaseInsensitiveString",
    found: shown(name),
    ...(isMethod ? { suggestion: `a method of lists: x.${name}(...)` } : advise(name)),
  })
}
