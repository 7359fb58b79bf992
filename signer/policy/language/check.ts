import { type Checked, type CheckedParts, childrenOf } from "./checked.ts"
import { readCronSpan } from "./cron.ts"
import { ExpressionFault, type Span } from "./fault.ts"
import { advise, shown, suggestName } from "./hints.ts"
import { MAX_NESTED_LAMBDAS, MAX_UINT } from "./limits.ts"
import { firstWord, type Namespace, rootWords } from "./namespace.ts"
import type { Comparison, Name, Syntax } from "./syntax.ts"
import { readTimestamp } from "./timestamp.ts"
import {
  bool,
  common,
  dynamic,
  familyOf,
  fieldOf,
  int,
  list,
  nameOfType,
  string,
  struct,
  timestamp,
  type StructType,
  type Type,
  uint,
} from "./types.ts"

/** A variable that a lambda binds. */
type Variable = { readonly name: string; readonly slot: number; readonly type: Type }

type Scope = {
  readonly variables: readonly Variable[]
  /** Lambdas around this place whose lists have a length that only the request knows. */
  readonly lambdas: number
}

type NodeOf<Kind extends Syntax["kind"]> = Extract<Syntax, { kind: Kind }>

/**
 * Finds what names mean and whether types fit.
 *
 * @throws ExpressionFault of kind `unknown-field`, `type` or `bound`, the first in the text
 */
export function check(tree: Syntax, namespace: Namespace): Checked {
  return new Checker(namespace).check(tree, { variables: [], lambdas: 0 })
}

/** @throws ExpressionFault unless the whole is true or false */
export function requireBool(tree: Checked): Checked {
  if (isBool(tree.type)) return tree
  throw typeFault(tree, "the expression is neither true nor false", "bool", tree.type)
}

class Checker {
  readonly #namespace: Namespace
  readonly #rootWords: ReadonlySet<string>

  constructor(namespace: Namespace) {
    this.#namespace = namespace
    this.#rootWords = rootWords(namespace)
  }

  check(node: Syntax, scope: Scope): Checked {
    switch (node.kind) {
      case "bool":
        return made(node, bool, { kind: "literal", value: node.value })
      case "int":
        return made(node, literalType(node.value), { kind: "literal", value: node.value })
      case "string":
        return made(node, string, { kind: "literal", value: node.value })
      case "list":
        return this.#list(node, scope)
      case "struct":
        return this.#struct(node, scope)
      case "name":
        return this.#name(node, scope)
      case "call":
        return this.#call(node, scope)
      case "member":
        return this.#member(node, scope)
      case "bracket":
        return this.#bracket(node, scope)
      case "slice":
        return this.#slice(node, scope)
      case "count":
        return this.#count(node, scope)
      case "contains":
        return this.#contains(node, scope)
      case "quantifier":
        return this.#quantifier(node, scope)
      case "not":
        return made(node, bool, { kind: "not", operand: this.#bool(node.operand, scope, "!") })
      case "compare":
        return node.operator === "in" ? this.#in(node, scope) : this.#compare(node, scope, node.operator)
      case "and":
      case "or": {
        const sign = node.kind === "and" ? "&&" : "||"
        const parts = node.parts.map((part) => this.#bool(part, scope, sign))
        return made(node, bool, { kind: node.kind, parts })
      }
      default:
        return node satisfies never
    }
  }

  #bool(node: Syntax, scope: Scope, sign: string): Checked {
    const operand = this.check(node, scope)
    if (isBool(operand.type)) return operand
    throw typeFault(operand, `${sign} takes true or false`, "bool", operand.type)
  }

  #list(node: NodeOf<"list">, scope: Scope): Checked {
    const items = node.items.map((item) => this.check(item, scope))
    let of = items[0]?.type ?? dynamic
    for (const item of items.slice(1)) {
      const both = common(of, item.type)
      if (both === undefined)
        throw typeFault(item, "the elements of a list have one type", nameOfType(of), item.type)
      of = both
    }
    return made(node, list(of), { kind: "list", items })
  }

  #struct(node: NodeOf<"struct">, scope: Scope): Checked {
    const fields: Record<string, Type> = {}
    const values: [string, Checked][] = []
    for (const { name, value } of node.members) {
      if (Object.hasOwn(fields, name.name) || name.name === "__proto__") {
        throw new ExpressionFault("type", name, "the field is there twice", { found: shown(name.name) })
      }
      const checked = this.check(value, scope)
      fields[name.name] = checked.type
      values.push([name.name, checked])
    }
    return made(node, struct("struct", fields), { kind: "struct", members: values })
  }

  #name(node: NodeOf<"name">, { variables }: Scope): Checked {
    const { name } = node
    const variable = variables.findLast((bound) => bound.name === name)
    if (variable !== undefined) {
      return made(node, variable.type, { kind: "variable", name, slot: variable.slot })
    }
    const type = this.#rootType(name)
    if (type !== undefined) return made(node, type, { kind: "root", root: name })
    const below = this.#below(name)
    if (below.length === 0)
      throw this.#unknown(name, node, [...this.#ownWords(), ...variables.map((v) => v.name)])
    throw new ExpressionFault("type", node, `${name} is no value`, {
      expected: below.map((word) => `${name}.${word}`).join(", "),
      found: name,
    })
  }

  #member(node: NodeOf<"member">, scope: Scope): Checked {
    const { object, name } = node
    if (object.kind === "name" && !scope.variables.some((bound) => bound.name === object.name)) {
      const root = `${object.name}.${name.name}`
      const type = this.#rootType(root)
      if (type !== undefined) return made(node, type, { kind: "root", root })
      const below = this.#below(object.name)
      if (below.length > 0) throw this.#unknown(name.name, name, below, root)
    }
    const checked = this.check(object, scope)
    if (checked.type.kind !== "struct") throw noField(checked, name)
    return fieldNode(node, checked, checked.type, name)
  }

  #bracket(node: NodeOf<"bracket">, scope: Scope): Checked {
    const object = this.check(node.object, scope)
    const key = this.check(node.key, scope)
    const type = elementType(object, key)
    return made(node, type, { kind: "bracket", object, key })
  }

  #slice(node: NodeOf<"slice">, scope: Scope): Checked {
    const object = this.check(node.object, scope)
    const { type } = object
    if (type.kind !== "list" && type.kind !== "string" && type.kind !== "dynamic") {
      throw typeFault(object, "only lists and strings have slices", "list or string", type)
    }
    const [from, to] = [this.check(node.from, scope), this.check(node.to, scope)]
    for (const bound of [from, to]) {
      if (!isFamily(bound.type, "number"))
        throw typeFault(bound, "slices go from integer to integer", "int", bound.type)
    }
    if (from.kind === "literal" && to.kind === "literal" && from.value > to.value) {
      throw new ExpressionFault("type", node, "the slice ends before it begins", {})
    }
    return made(node, type.kind === "string" ? string : type, { kind: "slice", object, from, to })
  }

  #count(node: NodeOf<"count">, scope: Scope): Checked {
    return made(node, int, { kind: "count", object: this.#listed(node.object, scope, "count") })
  }

  #contains(node: NodeOf<"contains">, scope: Scope): Checked {
    const listed = this.#listed(node.object, scope, "contains")
    return membership(node, this.check(node.item, scope), listed, false)
  }

  #in(node: NodeOf<"compare">, scope: Scope): Checked {
    const item = this.check(node.left, scope)
    const listed = this.check(node.right, scope)
    if (listed.type.kind !== "list" && listed.type.kind !== "dynamic") {
      throw typeFault(listed, "in wants a list", "list", listed.type)
    }
    return membership(node, item, listed, true)
  }

  /** The object of a method. */
  #listed(node: Syntax, scope: Scope, method: string): Checked {
    const object = this.check(node, scope)
    if (object.type.kind === "list" || object.type.kind === "dynamic") return object
    throw typeFault(object, `${method} belongs to lists`, "list", object.type)
  }

  #quantifier(node: NodeOf<"quantifier">, scope: Scope): Checked {
    const { quantifier, variable } = node
    const object = this.#listed(node.object, scope, quantifier)
    if (this.#rootWords.has(variable.name)) {
      throw new ExpressionFault("type", variable, `${variable.name} is a root and cannot be a variable`, {
        expected: "another name",
        found: variable.name,
      })
    }
    const lambdas = scope.lambdas + (isWrittenOut(object) ? 0 : 1)
    if (lambdas > MAX_NESTED_LAMBDAS) {
      throw new ExpressionFault("bound", node, "too many lambdas within one another", {
        expected: `${MAX_NESTED_LAMBDAS} at most`,
      })
    }
    const slot = scope.variables.length
    const type = object.type.kind === "list" ? object.type.of : dynamic
    const inner: Scope = { variables: [...scope.variables, { name: variable.name, slot, type }], lambdas }
    const body = this.#bool(node.body, inner, quantifier)
    const result = quantifier === "filter" ? object.type : bool
    return made(node, result, { kind: "quantifier", quantifier, object, slot, variable: variable.name, body })
  }

  #compare(node: NodeOf<"compare">, scope: Scope, operator: Exclude<Comparison, "in">): Checked {
    const left = this.check(node.left, scope)
    const right = this.check(node.right, scope)
    const [first, second] = [unquoted(left, right.type), unquoted(right, left.type)]
    const ordered = operator !== "==" && operator !== "!="
    for (const operand of ordered ? [first, second] : []) requireOrdered(operand, operator)
    requireComparable(first, second)
    return made(node, bool, { kind: "compare", operator, left: first, right: second })
  }

  #call(node: NodeOf<"call">, scope: Scope): Checked {
    switch (node.name.name) {
      case "CaseInsensitiveString":
        return this.#fold(node, scope)
      case "Timestamp":
        return this.#timestamp(node)
      case "CronSpan":
        return this.#cronSpan(node)
      default:
        throw new ExpressionFault("syntax", node.name, `function does not exist: ${shown(node.name.name)}`, {
          expected: "Timestamp, CronSpan or CaseInsensitiveString",
          found: shown(node.name.name),
          ...adviseFunction(node.name.name),
        })
    }
  }

  #fold(node: NodeOf<"call">, scope: Scope): Checked {
    requireParameters(node, 1)
    const [operand] = node.parameters.map((parameter) => this.check(parameter, scope))
    if (operand === undefined || !isFamily(operand.type, "string")) {
      throw typeFault(
        operand ?? node,
        "CaseInsensitiveString takes a string",
        "string",
        operand?.type ?? bool,
      )
    }
    return made(node, string, { kind: "fold", operand })
  }

  #timestamp(node: NodeOf<"call">): Checked {
    this.#requireClock(node)
    requireParameters(node, 1)
    const [text] = node.parameters.map(requireLiteral)
    const instant = readTimestamp(text?.value ?? "")
    if (instant !== undefined) return made(node, timestamp, { kind: "literal", value: instant })
    throw new ExpressionFault("type", text ?? node, "not an instant of RFC 3339 with offset zero", {
      expected: "an instant such as '2026-01-01T00:00:00Z'",
    })
  }

  #cronSpan(node: NodeOf<"call">): Checked {
    const clock = this.#requireClock(node)
    requireParameters(node, 3)
    const texts = node.parameters.map(requireLiteral)
    const [cron = "", duration = "", zone = ""] = texts.map(({ value }) => value)
    const span = readCronSpan(cron, duration, zone)
    if (!("wrong" in span)) return made(node, bool, { kind: "cron", cron: span, clock })
    const { sentence, expected } = CRON_FAULTS[span.wrong]
    throw new ExpressionFault("type", texts[span.wrong] ?? node, sentence, { expected })
  }

  #requireClock({ name }: NodeOf<"call">): string {
    if (this.#namespace.clock !== undefined) return this.#namespace.clock
    throw new ExpressionFault("type", name, `${name.name} belongs in a time expression`, {
      found: `a ${this.#namespace.field} expression`,
    })
  }

  #rootType(root: string): Type | undefined {
    return Object.hasOwn(this.#namespace.roots, root) ? this.#namespace.roots[root] : undefined
  }

  #ownWords(): string[] {
    return [...new Set(Object.keys(this.#namespace.roots).map((root) => firstWord(root)))]
  }

  /** Second words of the roots that begin with this one. */
  #below(word: string): string[] {
    const roots = Object.keys(this.#namespace.roots).filter((root) => root.startsWith(`${word}.`))
    return roots.map((root) => root.slice(word.length + 1))
  }

  #unknown(name: string, span: Span, existing: readonly string[], root = name): ExpressionFault {
    const field = [...(this.#namespace.elsewhere ?? [])].find(
      ([other]) => other === root || firstWord(other) === root,
    )?.[1]
    const advice =
      field === undefined
        ? suggestName(name, existing)
        : { suggestion: `${firstWord(root)} belongs in a ${field} expression` }
    return unknownField(name, span, advice)
  }
}

const CRON_FAULTS = [
  {
    sentence: "not a schedule",
    expected: "minute, hour, day of month, month and day of week (0 to 6), as in '0 9 * * 1-5'",
  },
  { sentence: "not a duration", expected: "days, hours, minutes up to 7d, as in '1d12h'" },
  { sentence: "not a time zone", expected: "a name of the IANA database, as in 'America/New_York'" },
] as const

function made(place: Span, type: Type, parts: CheckedParts): Checked {
  const { offset, length } = place
  const node = { offset, length, type, size: 1, ...parts }
  return { ...node, size: childrenOf(node).reduce((sum, child) => sum + child.size, 1) }
}

function fieldNode(node: NodeOf<"member">, object: Checked, of: StructType, name: Name): Checked {
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
function noField({ type }: Checked, name: Name): ExpressionFault {
  const keyed = type.kind === "map" || type.kind === "dynamic"
  const suggestion = keyed ? `['${name.name}']` : advise(name.name).suggestion
  return new ExpressionFault("type", name, `${nameOfType(type)} has no fields`, {
    expected: keyed ? "a key in brackets" : "a method or an operator",
    found: shown(name.name),
    ...(suggestion === undefined ? {} : { suggestion }),
  })
}

function elementType(object: Checked, key: Checked): Type {
  const { type } = object
  switch (type.kind) {
    case "map":
      if (isFamily(key.type, "string")) return type.of
      throw typeFault(key, "keys of a map are strings", "string", key.type)
    case "list":
      if (isFamily(key.type, "number")) return type.of
      throw typeFault(key, "an index is an integer", "int", key.type)
    case "string":
      if (isFamily(key.type, "number")) return string
      throw typeFault(key, "an index is an integer", "int", key.type)
    case "dynamic":
      if (isFamily(key.type, "number") || isFamily(key.type, "string")) return dynamic
      throw typeFault(key, "brackets hold an index or a key", "int or string", key.type)
    case "struct": {
      const suggestion = key.kind === "literal" ? { suggestion: `.${shown(String(key.value))}` } : {}
      throw new ExpressionFault("type", key, `fields of ${type.name} are read with a dot`, suggestion)
    }
    case "bool":
    case "int":
    case "uint":
    case "timestamp":
      throw typeFault(object, "only maps, lists and strings have elements", "map, list or string", type)
    default:
      return type satisfies never
  }
}

function membership(place: Span, item: Checked, listed: Checked, itemFirst: boolean): Checked {
  const of = listed.type.kind === "list" ? listed.type.of : dynamic
  const elements = listed.kind === "list" ? unquotedList(listed, item.type) : listed
  const first = unquoted(item, of)
  if (elements.kind === "list") for (const one of elements.items) requireComparable(first, one)
  else requireSame(first, of, item)
  return made(place, bool, { kind: "membership", item: first, list: elements, itemFirst })
}

/** A string of decimal digits against an integer stands for that integer. It is the only conversion there is. */
function unquoted(node: Checked, against: Type): Checked {
  if (node.kind !== "literal" || typeof node.value !== "string" || familyOf(against) !== "number") return node
  if (!/^\d{1,78}$/.test(node.value)) return node
  const value = BigInt(node.value)
  return value > MAX_UINT ? node : made(node, literalType(value), { kind: "literal", value, quoted: true })
}

function unquotedList(node: Extract<Checked, { kind: "list" }>, against: Type): Checked {
  return made(node, node.type, { kind: "list", items: node.items.map((item) => unquoted(item, against)) })
}

function requireComparable(left: Checked, right: Checked): void {
  if (isUnread(left, right.type) || isUnread(right, left.type)) return
  requireSame(left, right.type, right)
}

/** Text in place of a number that the checker leaves to evaluation. */
function isUnread(node: Checked, against: Type): boolean {
  return (
    node.kind === "literal" &&
    node.type.kind === "string" &&
    against.kind === "int" &&
    against.quotable === true
  )
}

function requireSame(left: Checked, right: Type, place: Checked): void {
  const [one, other] = [familyOf(left.type), familyOf(right)]
  const isTime = one === "timestamp" || other === "timestamp"
  const fits = one === other || (!isTime && (one === "dynamic" || other === "dynamic"))
  if (one !== "none" && other !== "none" && fits) return
  if (one === "none")
    throw typeFault(left, `${nameOfType(left.type)} cannot be compared`, "a simple value", left.type)
  if (other === "none")
    throw typeFault(place, `${nameOfType(right)} cannot be compared`, "a simple value", right)
  throw typeFault(place, "both sides of a comparison have one type", nameOfType(left.type), right)
}

function requireOrdered(operand: Checked, operator: string): void {
  if (isFamily(operand.type, "number") || operand.type.kind === "timestamp") return
  throw typeFault(operand, `${operator} compares integers or instants`, "int or timestamp", operand.type)
}

function requireParameters({ name, parameters, ...span }: NodeOf<"call">, count: number): void {
  if (parameters.length === count) return
  throw new ExpressionFault(
    "type",
    span,
    `${name.name} takes ${count === 1 ? "one argument" : `${count} arguments`}`,
    {
      expected: String(count),
      found: String(parameters.length),
    },
  )
}

function requireLiteral(node: Syntax): NodeOf<"string"> {
  if (node.kind === "string") return node
  throw new ExpressionFault("type", node, "the argument is written out", {
    expected: "a string in single quotes",
  })
}

function adviseFunction(name: string): { suggestion?: string } {
  const methods = ["contains", "any", "all", "filter", "count"]
  return methods.includes(name) ? { suggestion: `a method of lists: x.${name}(...)` } : advise(name)
}

/** Whether the request has no say in the length of the list. */
function isWrittenOut(node: Checked): boolean {
  if (node.kind === "list") return true
  const narrows = node.kind === "slice" || (node.kind === "quantifier" && node.quantifier === "filter")
  return narrows && isWrittenOut(node.object)
}

function literalType(value: bigint): Type {
  return value >> 127n === 0n ? int : uint
}

function isBool(type: Type): boolean {
  return isFamily(type, "bool")
}

function isFamily(type: Type, family: "bool" | "number" | "string"): boolean {
  const own = familyOf(type)
  return own === family || own === "dynamic"
}

function typeFault(place: Span, sentence: string, expected: string, found: Type): ExpressionFault {
  return new ExpressionFault("type", place, sentence, { expected, found: nameOfType(found) })
}
