import {
  elementOf,
  fieldOf,
  isSame,
  kindOf,
  requireIntegers,
  sliceOf,
  textOf,
  valueCheck,
} from "./compare.ts"
import type { Checked } from "./checked.ts"
import { CRON_STEPS, isInside } from "./cron.ts"
import { type Span, EvaluationStop } from "./fault.ts"
import type { Frame } from "./frame.ts"
import { dynamic, type Type } from "./types.ts"
import { Caseless, foldCase, isList, isMembers, type Value } from "./value.ts"

/** Computes the value of a node. @throws {EvaluationStop} */
export type Closure<Result extends Value = Value> = (frame: Frame) => Result

const ORDERS = {
  "<": (one: Value, other: Value) => one < other,
  ">": (one: Value, other: Value) => one > other,
  "<=": (one: Value, other: Value) => one <= other,
  ">=": (one: Value, other: Value) => one >= other,
}

type NodeOf<Kind extends Checked["kind"]> = Extract<Checked, { kind: Kind }>

/**
 * Turns a checked tree into closures, so that an evaluation walks no tree. There is no short circuit: every node is
 * evaluated, from left to right, and the first fault ends the evaluation.
 */
export class ClosureBuilder {
  /** Roots by their index in `Frame.roots`. */
  readonly roots: string[] = []
  /** Places of the roots that every evaluation reads: those outside lambdas, whose bodies an empty list skips. */
  readonly required = new Map<string, Span>()
  #lambdas = 0

  /** A node that must be true or false. */
  boolClosure(node: Checked): Closure<boolean> {
    const run = this.closure(node)
    if (node.type.kind === "bool") return run as Closure<boolean>
    return (frame) => {
      const value = run(frame)
      if (typeof value === "boolean") return value
      throw new EvaluationStop("type-mismatch", node, `expected true or false, found ${kindOf(value)}`)
    }
  }

  closure(node: Checked): Closure {
    switch (node.kind) {
      case "literal": {
        const { value } = node
        return () => value
      }
      case "list":
        return this.#values(node.items)
      case "struct": {
        const names = node.members.map(([name]) => name)
        const values = this.#values(node.members.map(([, value]) => value))
        return (frame) => new Map(values(frame).map((value, index) => [names[index] ?? "", value]))
      }
      case "root":
        return this.#root(node.root, node.type, node)
      case "variable": {
        const { slot } = node
        return (frame) => frame.variables[slot] as Value
      }
      case "field":
        return this.#field(node)
      case "bracket":
        return this.#bracket(node)
      case "slice": {
        const [object, from, to] = [this.closure(node.object), this.closure(node.from), this.closure(node.to)]
        return (frame) => sliceOf(object(frame), from(frame), to(frame), frame, node)
      }
      case "count": {
        const list = this.#list(node.object)
        return (frame) => BigInt(list(frame).length)
      }
      case "membership":
        return this.#membership(node)
      case "quantifier":
        return this.#quantifier(node)
      case "not": {
        const operand = this.boolClosure(node.operand)
        return (frame) => !operand(frame)
      }
      case "compare":
        return this.#compare(node)
      case "and":
      case "or":
        return this.#junction(node.parts, node.kind === "and")
      case "fold":
        return this.#fold(node)
      case "cron":
        return this.#cron(node)
      default:
        return node satisfies never
    }
  }

  #values(nodes: readonly Checked[]): Closure<readonly Value[]> {
    const runs = nodes.map((node) => this.closure(node))
    return (frame) => runs.map((run) => run(frame))
  }

  #root(root: string, type: Type, place: Span): Closure {
    if (!this.roots.includes(root)) this.roots.push(root)
    if (this.#lambdas === 0 && !this.required.has(root)) this.required.set(root, place)
    const index = this.roots.indexOf(root)
    const typed = valueCheck(type, place)
    return (frame) => {
      const value = frame.roots[index]
      if (value === undefined) throw missingRoot(root, place)
      return typed(value)
    }
  }

  #field(node: NodeOf<"field">): Closure {
    const object = this.closure(node.object)
    const typed = valueCheck(node.type, node)
    const { name } = node
    return (frame) => {
      const value = object(frame)
      if (isMembers(value)) return typed(fieldOf(value, name, node))
      throw new EvaluationStop("type-mismatch", node, `${kindOf(value)} has no fields`)
    }
  }

  #bracket(node: NodeOf<"bracket">): Closure {
    const [object, key] = [this.closure(node.object), this.closure(node.key)]
    const typed = valueCheck(node.type, node)
    return (frame) => typed(elementOf(object(frame), key(frame), frame, node))
  }

  #list(node: Checked): Closure<readonly Value[]> {
    const run = this.closure(node)
    if (node.type.kind === "list") return run as Closure<readonly Value[]>
    return (frame) => {
      const value = run(frame)
      if (isList(value)) return value
      throw new EvaluationStop("type-mismatch", node, `expected a list, found ${kindOf(value)}`)
    }
  }

  #membership(node: NodeOf<"membership">): Closure<boolean> {
    const [item, list] = [this.closure(node.item), this.#list(node.list)]
    const typed = valueCheck(elementTypeOf(node.list), node)
    const convertItem = conversionOf(node.item)
    const conversions = node.list.kind === "list" ? node.list.items.map(conversionOf) : []
    const isIn = (value: Value, elements: readonly Value[], frame: Frame): boolean => {
      frame.charge(elements.length, node)
      let found = false
      for (const [index, one] of elements.entries()) {
        const element = typed(one)
        const convert = conversions[index] ?? unconverted
        if (isSame(convertItem(value, element), convert(element, value), frame, node)) found = true
      }
      return found
    }
    const literal = node.itemFirst ? this.#literalStrings(node) : undefined
    if (literal !== undefined) return literal
    if (node.itemFirst) {
      return (frame) => {
        const value = item(frame)
        return isIn(value, list(frame), frame)
      }
    }
    return (frame) => {
      const elements = list(frame)
      return isIn(item(frame), elements, frame)
    }
  }

  /** `x in ['a', 'b']` looks a string up in a set instead of comparing it with each. */
  #literalStrings({ item, list, ...place }: NodeOf<"membership">): Closure<boolean> | undefined {
    if (item.type.kind !== "string" || list.kind !== "list") return undefined
    const texts = list.items.flatMap((one) =>
      one.kind === "literal" && typeof one.value === "string" ? [one.value] : [],
    )
    if (texts.length === 0 || texts.length !== list.items.length) return undefined
    const run = this.closure(item)
    const exact = new Set(texts)
    const folded = new Set(texts.map(foldCase))
    return (frame) => {
      const value = run(frame) as string | Caseless
      frame.charge(texts.length, place)
      if (typeof value === "string") {
        frame.chargeText(value.length, place)
        return exact.has(value)
      }
      frame.chargeFold(value.text.length, place)
      return folded.has(foldCase(value.text))
    }
  }

  #quantifier(node: NodeOf<"quantifier">): Closure {
    const { slot, quantifier } = node
    const list = this.#list(node.object)
    this.#lambdas += 1
    const body = this.boolClosure(node.body)
    this.#lambdas -= 1
    const typed = valueCheck(elementTypeOf(node.object), node.object)
    const cost = node.body.size
    /** Elements for which the body is true; it is evaluated for all. */
    const matching = (elements: readonly Value[], frame: Frame): Value[] => {
      const found: Value[] = []
      for (const element of elements) {
        frame.charge(cost, node)
        const value = typed(element)
        frame.variables[slot] = value
        if (body(frame)) found.push(value)
      }
      return found
    }
    if (quantifier === "filter") return (frame) => matching(list(frame), frame)
    if (quantifier === "any") return (frame) => matching(list(frame), frame).length > 0
    return (frame) => {
      const elements = list(frame)
      return matching(elements, frame).length === elements.length
    }
  }

  #compare(node: NodeOf<"compare">): Closure<boolean> {
    const [left, right] = [this.closure(node.left), this.closure(node.right)]
    const { operator } = node
    if (operator === "==" || operator === "!=") {
      const [convertLeft, convertRight] = [conversionOf(node.left), conversionOf(node.right)]
      const expected = operator === "=="
      return (frame) => {
        const [one, other] = [left(frame), right(frame)]
        return isSame(convertLeft(one, other), convertRight(other, one), frame, node) === expected
      }
    }
    const holds = ORDERS[operator]
    return (frame) => {
      const [one, other] = [left(frame), right(frame)]
      requireIntegers(one, other, node)
      return holds(one, other)
    }
  }

  /** All parts are evaluated. `isAnd`: true unless a part is false; else false unless a part is true. */
  #junction(parts: readonly Checked[], isAnd: boolean): Closure<boolean> {
    const tests = parts.map((part) => this.boolClosure(part))
    return (frame) => {
      let result = isAnd
      for (const test of tests) if (test(frame) !== isAnd) result = !isAnd
      return result
    }
  }

  #fold(node: NodeOf<"fold">): Closure<string> {
    const operand = this.closure(node.operand)
    return (frame) => {
      const value = operand(frame)
      if (typeof value !== "string" && !(value instanceof Caseless))
        throw new EvaluationStop("type-mismatch", node, `expected a string, found ${kindOf(value)}`)
      frame.chargeFold(textOf(value).length, node)
      return foldCase(textOf(value))
    }
  }

  #cron(node: NodeOf<"cron">): Closure<boolean> {
    const now = this.#root(node.clock, { kind: "timestamp" }, node)
    const { cron } = node
    return (frame) => {
      frame.charge(CRON_STEPS, node)
      return isInside(cron, Number(now(frame)))
    }
  }
}

/** Converts an operand's value for its comparison with the other operand's value. */
type Conversion = (value: Value, other: Value) => Value

const unconverted: Conversion = (value) => value

/** Compared with an integer, a string of digits is that integer. */
function conversionOf(node: Checked): Conversion {
  if (node.kind !== "literal" || node.decimal === undefined) return unconverted
  const { decimal } = node
  return (value, other) => (typeof other === "bigint" ? decimal : value)
}

export function missingRoot(root: string, place: Span): EvaluationStop {
  return new EvaluationStop("missing-root", place, `the request has no ${root}`)
}

function elementTypeOf({ type }: Checked): Type {
  return type.kind === "list" ? type.of : dynamic
}
