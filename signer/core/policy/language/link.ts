import { admitting } from "./admit.ts"
import type { Checked } from "./checked.ts"
import { isSame, kindOf, requireIntegers, textOf } from "./compare.ts"
import { CRON_STEPS, isInside } from "./cron.ts"
import { type Span, Stop } from "./fault.ts"
import type { Frame } from "./frame.ts"
import { elementOf, fieldOf, sliceOf } from "./pieces.ts"
import { dynamic, type Type } from "./types.ts"
import { Caseless, foldCase, isList, isMembers, type Value } from "./value.ts"

/** An expression made ready to run; it throws `Stop`. */
export type Run<Result extends Value = Value> = (frame: Frame) => Result

export type NodeOf<Kind extends Checked["kind"]> = Extract<Checked, { kind: Kind }>

/**
 * Turns a checked tree into closures, so that an evaluation walks no tree. There is no short circuit anywhere: every
 * part is evaluated, from left to right, and the first fault ends it all.
 */
export class Linker {
  /** Roots by the number that closures know them by. */
  readonly roots: string[] = []

  /** A part that has to be true or false. */
  test(node: Checked): Run<boolean> {
    const run = this.run(node)
    if (node.type.kind === "bool") return run as Run<boolean>
    return (frame) => {
      const value = run(frame)
      if (typeof value === "boolean") return value
      throw new Stop("type-mismatch", node, `expected true or false, found ${kindOf(value)}`)
    }
  }

  run(node: Checked): Run {
    switch (node.kind) {
      case "literal": {
        const { value } = node
        return () => value
      }
      case "list":
        return this.#all(node.items)
      case "struct": {
        const names = node.members.map(([name]) => name)
        const values = this.#all(node.members.map(([, value]) => value))
        return (frame) => new Map(values(frame).map((value, index) => [names[index] ?? "", value]))
      }
      case "root":
        return this.#root(node)
      case "variable": {
        const { slot } = node
        return (frame) => frame.variables[slot] as Value
      }
      case "field":
        return this.#field(node)
      case "bracket":
        return this.#bracket(node)
      case "slice": {
        const [object, from, to] = [this.run(node.object), this.run(node.from), this.run(node.to)]
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
        const operand = this.test(node.operand)
        return (frame) => !operand(frame)
      }
      case "compare":
        return this.#compare(node)
      case "and":
        return this.#and(node.parts)
      case "or":
        return this.#or(node.parts)
      case "fold":
        return this.#fold(node)
      case "cron":
        return this.#cron(node)
      default:
        return node satisfies never
    }
  }

  #all(nodes: readonly Checked[]): Run<readonly Value[]> {
    const runs = nodes.map((node) => this.run(node))
    return (frame) => runs.map((run) => run(frame))
  }

  #root(node: NodeOf<"root">): Run {
    return this.#rootValue(node.root, node.type, node)
  }

  #rootValue(root: string, type: Type, place: Span): Run {
    if (!this.roots.includes(root)) this.roots.push(root)
    const index = this.roots.indexOf(root)
    const admit = admitting(type, place)
    return (frame) => {
      const value = frame.roots[index]
      if (value === undefined) throw new Stop("missing-root", place, `the request has no ${root}`)
      return admit(value)
    }
  }

  #field(node: NodeOf<"field">): Run {
    const object = this.run(node.object)
    const admit = admitting(node.type, node)
    const { name } = node
    return (frame) => {
      const value = object(frame)
      if (isMembers(value)) return admit(fieldOf(value, name, node))
      throw new Stop("type-mismatch", node, `${kindOf(value)} has no fields`)
    }
  }

  #bracket(node: NodeOf<"bracket">): Run {
    const [object, key] = [this.run(node.object), this.run(node.key)]
    const admit = admitting(node.type, node)
    return (frame) => admit(elementOf(object(frame), key(frame), frame, node))
  }

  /** A part that has to be a list. */
  #list(node: Checked): Run<readonly Value[]> {
    const run = this.run(node)
    if (node.type.kind === "list") return run as Run<readonly Value[]>
    return (frame) => {
      const value = run(frame)
      if (isList(value)) return value
      throw new Stop("type-mismatch", node, `expected a list, found ${kindOf(value)}`)
    }
  }

  #membership(node: NodeOf<"membership">): Run<boolean> {
    const [item, list] = [this.run(node.item), this.#list(node.list)]
    const admit = admitting(elementTypeOf(node.list), node)
    const isIn = (value: Value, elements: readonly Value[], frame: Frame): boolean => {
      frame.charge(elements.length, node)
      let found = false
      for (const element of elements) if (isSame(value, admit(element), frame, node)) found = true
      return found
    }
    const written = node.itemFirst ? this.#writtenStrings(node) : undefined
    if (written !== undefined) return written
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

  /** `x in ['a', 'b']` looks strings up instead of comparing them one by one. */
  #writtenStrings({ item, list, ...place }: NodeOf<"membership">): Run<boolean> | undefined {
    if (item.type.kind !== "string" || list.kind !== "list") return undefined
    const texts = list.items.flatMap((one) =>
      one.kind === "literal" && typeof one.value === "string" ? [one.value] : [],
    )
    if (texts.length === 0 || texts.length !== list.items.length) return undefined
    const run = this.run(item)
    const exact = new Set(texts)
    const folded = new Set(texts.map(foldCase))
    return (frame) => {
      const value = run(frame) as string | Caseless
      frame.charge(texts.length, place)
      frame.chargeText(textOf(value).length, place)
      return typeof value === "string" ? exact.has(value) : folded.has(foldCase(value.text))
    }
  }

  #quantifier(node: NodeOf<"quantifier">): Run {
    const { slot, quantifier } = node
    const [list, body] = [this.#list(node.object), this.test(node.body)]
    const admit = admitting(elementTypeOf(node.object), node.object)
    const cost = node.body.size
    /** Elements of which the body is true; it is evaluated for all. */
    const matching = (elements: readonly Value[], frame: Frame): Value[] => {
      const found: Value[] = []
      for (const element of elements) {
        frame.charge(cost, node)
        const value = admit(element)
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

  #compare(node: NodeOf<"compare">): Run<boolean> {
    const [left, right] = [this.run(node.left), this.run(node.right)]
    const ordered = (holds: (one: Value, other: Value) => boolean): Run<boolean> => {
      return (frame) => {
        const [one, other] = [left(frame), right(frame)]
        requireIntegers(one, other, node)
        return holds(one, other)
      }
    }
    switch (node.operator) {
      case "==":
        return (frame) => isSame(left(frame), right(frame), frame, node)
      case "!=":
        return (frame) => !isSame(left(frame), right(frame), frame, node)
      case "<":
        return ordered((one, other) => one < other)
      case ">":
        return ordered((one, other) => one > other)
      case "<=":
        return ordered((one, other) => one <= other)
      case ">=":
        return ordered((one, other) => one >= other)
      default:
        return node.operator satisfies never
    }
  }

  #and(parts: readonly Checked[]): Run<boolean> {
    const tests = parts.map((part) => this.test(part))
    return (frame) => {
      let all = true
      for (const test of tests) if (!test(frame)) all = false
      return all
    }
  }

  #or(parts: readonly Checked[]): Run<boolean> {
    const tests = parts.map((part) => this.test(part))
    return (frame) => {
      let any = false
      for (const test of tests) if (test(frame)) any = true
      return any
    }
  }

  #fold(node: NodeOf<"fold">): Run<string> {
    const operand = this.run(node.operand)
    return (frame) => {
      const value = operand(frame)
      if (typeof value !== "string" && !(value instanceof Caseless)) {
        throw new Stop("type-mismatch", node, `expected a string, found ${kindOf(value)}`)
      }
      frame.chargeText(textOf(value).length, node)
      return foldCase(textOf(value))
    }
  }

  #cron(node: NodeOf<"cron">): Run<boolean> {
    const now = this.#rootValue(node.clock, { kind: "timestamp" }, node)
    const { cron } = node
    return (frame) => {
      frame.charge(CRON_STEPS, node)
      return isInside(cron, Number(now(frame)))
    }
  }
}

function elementTypeOf({ type }: Checked): Type {
  return type.kind === "list" ? type.of : dynamic
}
