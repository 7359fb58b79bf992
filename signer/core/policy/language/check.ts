import { expressionFault, excerpt } from "./fault.ts"
import { type Checked, literalType, checkedNode } from "./checked.ts"
import {
  elementType,
  isBool,
  isFamily,
  membership,
  requireComparable,
  requireOrdered,
  typeFault,
  unquoted,
} from "./type-rules.ts"
import { MAX_NESTED_LAMBDAS } from "./limits.ts"
import { cronSpanOf, requireParameters, timestampOf } from "./time-functions.ts"
import {
  fieldNode,
  firstWords,
  type Namespace,
  noField,
  rootType,
  secondWords,
  unknownField,
  unknownFunction,
} from "./names.ts"
import type { Comparison, Syntax } from "./syntax.ts"
import { bool, commonType, dynamic, int, list, nameOfType, string, struct, type Type } from "./types.ts"

type Variable = { readonly name: string; readonly slot: number; readonly type: Type }

type Scope = {
  readonly variables: readonly Variable[]
  /** Lambdas around this place over lists whose length depends on the request. */
  readonly lambdas: number
}

type NodeOf<Kind extends Syntax["kind"]> = Extract<Syntax, { kind: Kind }>

/** Resolves names, checks types. @throws ExpressionFault `unknown-field`, `type` or `bound`, the first in the text */
export function check(tree: Syntax, namespace: Namespace): Checked {
  return new Checker(namespace).check(tree, { variables: [], lambdas: 0 })
}

/** @throws ExpressionFault unless the expression is true or false */
export function requireBool(tree: Checked): Checked {
  if (isBool(tree.type)) return tree
  throw typeFault(tree, "the expression is neither true nor false", "bool", tree.type)
}

class Checker {
  readonly #namespace: Namespace

  constructor(namespace: Namespace) {
    this.#namespace = namespace
  }

  check(node: Syntax, scope: Scope): Checked {
    switch (node.kind) {
      case "literal":
        return checkedNode(node, literalType(node.value), { kind: "literal", value: node.value })
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
        return checkedNode(node, bool, { kind: "not", operand: this.#bool(node.operand, scope, "!") })
      case "compare":
        return node.operator === "in" ? this.#in(node, scope) : this.#compare(node, scope, node.operator)
      case "and":
      case "or": {
        const sign = node.kind === "and" ? "&&" : "||"
        const parts = node.parts.map((part) => this.#bool(part, scope, sign))
        return checkedNode(node, bool, { kind: node.kind, parts })
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
      const both = commonType(of, item.type)
      if (both === undefined)
        throw typeFault(item, "the elements of a list have one type", nameOfType(of), item.type)
      of = both
    }
    return checkedNode(node, list(of), { kind: "list", items })
  }

  #struct(node: NodeOf<"struct">, scope: Scope): Checked {
    const members = new Map<string, Checked>()
    for (const { name, value } of node.members) {
      if (members.has(name.name))
        throw expressionFault("type", name, "the field occurs twice", { found: excerpt(name.name) })
      members.set(name.name, this.check(value, scope))
    }
    const fields = [...members].map(([name, { type }]) => [name, type] as const)
    const type = struct("struct", Object.fromEntries(fields))
    return checkedNode(node, type, { kind: "struct", members: [...members] })
  }

  #name(node: NodeOf<"name">, { variables }: Scope): Checked {
    const { name } = node
    const variable = variables.findLast((bound) => bound.name === name)
    if (variable !== undefined)
      return checkedNode(node, variable.type, { kind: "variable", name, slot: variable.slot })
    const type = rootType(this.#namespace, name)
    if (type !== undefined) return checkedNode(node, type, { kind: "root", root: name })
    const below = secondWords(this.#namespace, name)
    if (below.length === 0) {
      const bound = variables.map((one) => one.name)
      throw unknownField(name, node, [...firstWords(this.#namespace), ...bound])
    }
    throw expressionFault("type", node, `${name} is not a value`, {
      expected: below.map((word) => `${name}.${word}`).join(", "),
      found: name,
    })
  }

  #member(node: NodeOf<"member">, scope: Scope): Checked {
    const { object, name } = node
    // No variable is named like the first word of a root.
    if (object.kind === "name") {
      const root = `${object.name}.${name.name}`
      const type = rootType(this.#namespace, root)
      if (type !== undefined) return checkedNode(node, type, { kind: "root", root })
      const below = secondWords(this.#namespace, object.name)
      if (below.length > 0) throw unknownField(name.name, name, below)
    }
    const checked = this.check(object, scope)
    if (checked.type.kind !== "struct") throw noField(checked, name)
    return fieldNode(node, checked, checked.type, name)
  }

  #bracket(node: NodeOf<"bracket">, scope: Scope): Checked {
    const object = this.check(node.object, scope)
    const key = this.check(node.key, scope)
    const type = elementType(object, key)
    return checkedNode(node, type, { kind: "bracket", object, key })
  }

  #slice(node: NodeOf<"slice">, scope: Scope): Checked {
    const object = this.check(node.object, scope)
    const { type } = object
    if (type.kind !== "list" && type.kind !== "string" && type.kind !== "dynamic")
      throw typeFault(object, "only lists and strings have slices", "list or string", type)
    const [from, to] = [this.check(node.from, scope), this.check(node.to, scope)]
    for (const bound of [from, to]) {
      if (!isFamily(bound.type, "number"))
        throw typeFault(bound, "the bounds of a slice are integers", "int", bound.type)
    }
    if (from.kind === "literal" && to.kind === "literal" && from.value > to.value)
      throw expressionFault("type", node, "the slice ends before it begins", {})
    return checkedNode(node, type.kind === "string" ? string : type, { kind: "slice", object, from, to })
  }

  #count(node: NodeOf<"count">, scope: Scope): Checked {
    return checkedNode(node, int, { kind: "count", object: this.#listOf(node.object, scope, "count") })
  }

  #contains(node: NodeOf<"contains">, scope: Scope): Checked {
    const listed = this.#listOf(node.object, scope, "contains")
    return membership(node, this.check(node.item, scope), listed, false)
  }

  #in(node: NodeOf<"compare">, scope: Scope): Checked {
    const item = this.check(node.left, scope)
    const listed = this.check(node.right, scope)
    if (listed.type.kind !== "list" && listed.type.kind !== "dynamic")
      throw typeFault(listed, "in takes a list", "list", listed.type)
    return membership(node, item, listed, true)
  }

  #listOf(node: Syntax, scope: Scope, method: string): Checked {
    const object = this.check(node, scope)
    if (object.type.kind === "list" || object.type.kind === "dynamic") return object
    throw typeFault(object, `only lists have ${method}`, "list", object.type)
  }

  #quantifier(node: NodeOf<"quantifier">, scope: Scope): Checked {
    const { quantifier, variable } = node
    const object = this.#listOf(node.object, scope, quantifier)
    if (this.#namespace.rootWords.has(variable.name)) {
      throw expressionFault("type", variable, `${variable.name} is a root and cannot be a variable`, {
        expected: "another name",
        found: variable.name,
      })
    }
    const lambdas = scope.lambdas + (isBoundedByText(object) ? 0 : 1)
    if (lambdas > MAX_NESTED_LAMBDAS) {
      throw expressionFault("bound", node, "too many nested lambdas", {
        expected: `${MAX_NESTED_LAMBDAS} at most`,
      })
    }
    const slot = scope.variables.length
    const type = object.type.kind === "list" ? object.type.of : object.type
    const inner: Scope = { variables: [...scope.variables, { name: variable.name, slot, type }], lambdas }
    const body = this.#bool(node.body, inner, quantifier)
    const result = quantifier === "filter" ? object.type : bool
    return checkedNode(node, result, {
      kind: "quantifier",
      quantifier,
      object,
      slot,
      variable: variable.name,
      body,
    })
  }

  #compare(node: NodeOf<"compare">, scope: Scope, operator: Exclude<Comparison, "in">): Checked {
    const left = this.check(node.left, scope)
    const right = this.check(node.right, scope)
    const isOrder = operator !== "==" && operator !== "!="
    const [first, second] = [unquoted(left, right, isOrder), unquoted(right, left, isOrder)]
    for (const operand of isOrder ? [first, second] : []) requireOrdered(operand, operator)
    requireComparable(first, second)
    return checkedNode(node, bool, { kind: "compare", operator, left: first, right: second })
  }

  #call(node: NodeOf<"call">, scope: Scope): Checked {
    switch (node.name.name) {
      case "CaseInsensitiveString":
        return this.#fold(node, scope)
      case "Timestamp":
        this.#requireClock(node)
        return timestampOf(node)
      case "CronSpan":
        return cronSpanOf(node, this.#requireClock(node))
      default:
        throw unknownFunction(node.name)
    }
  }

  #fold(node: NodeOf<"call">, scope: Scope): Checked {
    requireParameters(node, 1)
    const operand = this.check(node.parameters[0]!, scope)
    if (isFamily(operand.type, "string")) return checkedNode(node, string, { kind: "fold", operand })
    throw typeFault(operand, "CaseInsensitiveString takes a string", "string", operand.type)
  }

  #requireClock({ name }: NodeOf<"call">): string {
    if (this.#namespace.clock !== undefined) return this.#namespace.clock
    throw expressionFault("type", name, `${name.name} belongs in a time expression`, {
      found: `a ${this.#namespace.field} expression`,
    })
  }
}

/** True if the text alone bounds the length of the list. */
function isBoundedByText(node: Checked): boolean {
  if (node.kind === "list") return true
  const narrows = node.kind === "slice" || (node.kind === "quantifier" && node.quantifier === "filter")
  return narrows && isBoundedByText(node.object)
}
