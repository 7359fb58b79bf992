import type { Compiled } from "../expression.ts"
import { type Checked, checkedNode, childrenOf } from "../language/checked.ts"
import { ClosureBuilder } from "../language/closures.ts"
import { type Program, programOf } from "../language/compile.ts"
import { EvaluationStop } from "../language/fault.ts"
import { Frame } from "../language/frame.ts"
import { MAX_STEPS } from "../language/limits.ts"
import type { Comparison } from "../language/syntax.ts"
import { bool } from "../language/types.ts"
import type { Value } from "../language/value.ts"
import { comparedTexts, type ComparedText, type VotesRoot } from "./compared-texts.ts"

const VOTES: ReadonlySet<string> = new Set(["approvers", "credentials"])

/** An expression about one vote alone. */
export type VoteTest = { readonly program: Program }

/** A list of votes whose length a consensus reads: a root, or a filter of it. */
export type VoteList = {
  readonly root: VotesRoot
  /** True for one vote alone if the vote is on the list. Absent: every vote is. */
  readonly test?: VoteTest
  /** All that the test compares, if it only compares parts of a vote with literal texts. Absent: it reads more. */
  readonly compared?: readonly ComparedText[]
  /** Lengths from this one on make no difference. */
  readonly bound: number
}

type Operator = Exclude<Comparison, "in">

/** A consensus, as a formula over the lengths of lists of votes. `list`: index in `VoteFormula.lists`. */
export type FormulaNode =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "and" | "or"; readonly parts: readonly FormulaNode[] }
  | { readonly kind: "not"; readonly part: FormulaNode }
  | { readonly kind: "same"; readonly left: FormulaNode; readonly right: FormulaNode }
  | { readonly kind: "length"; readonly list: number; readonly operator: Operator; readonly than: number }
  | { readonly kind: "lengths"; readonly left: number; readonly operator: Operator; readonly right: number }
  | OpaqueNode

/** A part that compares votes in another way, such as by their places. */
export type OpaqueNode = {
  readonly kind: "opaque"
  readonly program: Program
  /** The part reads only this many votes, the first ones cast, of each root. Absent: it may read any vote. */
  readonly places?: ReadonlyMap<VotesRoot, number>
}

export type VoteFormula = {
  readonly root: FormulaNode
  readonly lists: readonly VoteList[]
  /** Nodes of the formula: the steps of one evaluation. */
  readonly size: number
  readonly opaque: readonly OpaqueNode[]
}

const formulas = new WeakMap<Compiled, VoteFormula>()

/** The formula of a consensus, read once. */
export function formulaOf(consensus: Compiled): VoteFormula {
  const known = formulas.get(consensus)
  if (known !== undefined) return known
  const formula = new FormulaReader(consensus.text).read(consensus.syntax)
  formulas.set(consensus, formula)
  return formula
}

/** Integers beyond this are compared like this: there are never so many votes. */
const MAX_LENGTH = 2 ** 31

class FormulaReader {
  readonly #text: string
  readonly #lists = new Map<string, Omit<VoteList, "bound"> & { index: number; bound: number }>()
  readonly #opaque: OpaqueNode[] = []
  #size = 0

  constructor(text: string) {
    this.#text = text
  }

  read(syntax: Checked): VoteFormula {
    try {
      const root = this.#bool(syntax)
      const lists = [...this.#lists.values()]
      return { root, lists, size: this.#size, opaque: this.#opaque }
    } catch (error) {
      // A part without votes has no value, so the whole never has one.
      if (!(error instanceof EvaluationStop)) throw error
      return { root: { kind: "constant", value: false }, lists: [], size: 1, opaque: [] }
    }
  }

  #bool(node: Checked): FormulaNode {
    this.#size += 1
    if (!mentionsVotes(node)) return { kind: "constant", value: valueWithoutVotes(node) === true }
    switch (node.kind) {
      case "and":
      case "or":
        return { kind: node.kind, parts: node.parts.map((part) => this.#bool(part)) }
      case "not":
        return { kind: "not", part: this.#bool(node.operand) }
      case "quantifier": {
        const list = this.#listOfQuantifier(node)
        if (list === undefined) break
        return node.quantifier === "all" ? this.#length(list, "==", 0) : this.#length(list, ">=", 1)
      }
      case "compare": {
        const compared = this.#comparison(node)
        if (compared !== undefined) return compared
        break
      }
      default:
    }
    const places = placesRead(node)
    const opaque = { kind: "opaque" as const, program: programOf(node), ...(places && { places }) }
    this.#opaque.push(opaque)
    return opaque
  }

  #comparison({ operator, left, right }: Checked & { kind: "compare" }): FormulaNode | undefined {
    if (left.type.kind === "bool" && right.type.kind === "bool") {
      const same = { kind: "same" as const, left: this.#bool(left), right: this.#bool(right) }
      return operator === "==" ? same : { kind: "not", part: same }
    }
    const [one, other] = [this.#operand(left), this.#operand(right)]
    if (one === undefined || other === undefined) return undefined
    if (typeof one === "bigint")
      return typeof other === "bigint" ? undefined : this.#length(other, MIRRORED[operator], Number(one))
    if (typeof other === "bigint") return this.#length(one, operator, Number(other))
    for (const list of [one, other]) this.#lists.get(list)!.bound = Infinity
    const [leftList, rightList] = [this.#lists.get(one)!.index, this.#lists.get(other)!.index]
    return { kind: "lengths", left: leftList, operator, right: rightList }
  }

  /** The name of the list that is counted, or an integer. */
  #operand(node: Checked): string | bigint | undefined {
    if (mentionsVotes(node)) return node.kind === "count" ? this.#list(node.object) : undefined
    const value =
      node.kind === "literal" && node.decimal !== undefined ? node.decimal : valueWithoutVotes(node)
    return typeof value === "bigint" ? value : undefined
  }

  #length(name: string, operator: Operator, integer: number): FormulaNode {
    const than = Math.max(-1, Math.min(integer, MAX_LENGTH))
    const list = this.#lists.get(name)!
    list.bound = Math.max(list.bound, than + 1)
    return { kind: "length", list: list.index, operator, than }
  }

  /** The list of elements for which `any` holds, or for which `all` does not. */
  #listOfQuantifier(node: Checked & { kind: "quantifier" }): string | undefined {
    const { quantifier, object, body } = node
    if (quantifier !== "all") return this.#listWith(node, object, body, "")
    const inverted = checkedNode(body, bool, { kind: "not", operand: body })
    return this.#listWith(node, object, inverted, "!")
  }

  #list(node: Checked): string | undefined {
    if (node.kind === "root") return this.#keep(node.root as VotesRoot, node.root)
    if (node.kind !== "quantifier" || node.quantifier !== "filter") return undefined
    return this.#listWith(node, node.object, node.body, "")
  }

  #listWith(
    node: Checked & { kind: "quantifier" },
    object: Checked,
    body: Checked,
    mark: string,
  ): string | undefined {
    const bodies = [...filtersOf(object), body]
    const root = rootOf(object)
    if (root === undefined || bodies.some(mentionsVotes)) return undefined
    const name = `${mark}${this.#excerpt(object)}.${node.variable}.${this.#excerpt(body)}`
    const compared = comparedTexts(root, bodies)
    const test = { ...checkedNode(node, bool, { ...node, quantifier: "any", object, body }) }
    return this.#keep(root, name, { test: { program: programOf(test) }, ...(compared && { compared }) })
  }

  #keep(root: VotesRoot, name: string, more: Pick<VoteList, "test" | "compared"> = { compared: [] }): string {
    if (!this.#lists.has(name)) this.#lists.set(name, { root, ...more, index: this.#lists.size, bound: 0 })
    return name
  }

  #excerpt({ offset, length }: Checked): string {
    return this.#text.slice(offset, offset + length)
  }
}

const MIRRORED = { "==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=" } as const

/** The root that a list holds votes of: the list itself, or a filter of it. */
function rootOf(node: Checked): VotesRoot | undefined {
  if (node.kind === "root") return VOTES.has(node.root) ? (node.root as VotesRoot) : undefined
  return node.kind === "quantifier" && node.quantifier === "filter" ? rootOf(node.object) : undefined
}

function filtersOf(node: Checked): Checked[] {
  return node.kind === "quantifier" ? [...filtersOf(node.object), node.body] : []
}

const mentioning = new WeakMap<Checked, boolean>()

/** Kept for each node: it is asked at every height of a tree. */
function mentionsVotes(node: Checked): boolean {
  const known = mentioning.get(node)
  if (known !== undefined) return known
  const mentions = node.kind === "root" ? VOTES.has(node.root) : childrenOf(node).some(mentionsVotes)
  mentioning.set(node, mentions)
  return mentions
}

/** @throws {EvaluationStop} */
function valueWithoutVotes(node: Checked): Value {
  const value = new ClosureBuilder().closure(node)(new Frame([], MAX_STEPS))
  if (node.type.kind === "bool" && typeof value !== "boolean")
    throw new EvaluationStop("type-mismatch", node, "expected true or false")
  return value
}

/** The number of first votes that a part reads, if it reads votes only by places that its text states. */
function placesRead(tree: Checked): ReadonlyMap<VotesRoot, number> | undefined {
  const places = new Map<VotesRoot, number>()
  const isByPlaces = collectPlaces(tree, places)
  return isByPlaces ? places : undefined
}

function collectPlaces(node: Checked, places: Map<VotesRoot, number>): boolean {
  if (node.kind === "root") return !VOTES.has(node.root)
  if (node.kind === "bracket" && node.object.kind === "root" && node.key.kind === "literal") {
    const { value } = node.key
    const root = node.object.root as VotesRoot
    if (typeof value !== "bigint" || value < 0n) return false
    places.set(root, Math.max(places.get(root) ?? 0, Number(value) + 1))
    return true
  }
  return childrenOf(node).every((child) => collectPlaces(child, places))
}

/** True if the consensus holds with lists of these lengths. */
export function holds(node: FormulaNode, lengths: readonly number[]): boolean {
  switch (node.kind) {
    case "constant":
      return node.value
    case "and":
      return node.parts.every((part) => holds(part, lengths))
    case "or":
      return node.parts.some((part) => holds(part, lengths))
    case "not":
      return !holds(node.part, lengths)
    case "same":
      return holds(node.left, lengths) === holds(node.right, lengths)
    case "length":
      return compareLengths(lengths[node.list] ?? 0, node.operator, node.than)
    case "lengths":
      return compareLengths(lengths[node.left] ?? 0, node.operator, lengths[node.right] ?? 0)
    case "opaque":
      throw new Error("the lengths of lists do not decide this consensus")
    default:
      return node satisfies never
  }
}

export function compareLengths(one: number, operator: Operator, other: number): boolean {
  switch (operator) {
    case "==":
      return one === other
    case "!=":
      return one !== other
    case "<":
      return one < other
    case ">":
      return one > other
    case "<=":
      return one <= other
    case ">=":
      return one >= other
    default:
      return operator satisfies never
  }
}
