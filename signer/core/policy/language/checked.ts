import type { CronSpan } from "./cron.ts"
import type { Span } from "./fault.ts"
import { MAX_INT } from "./limits.ts"
import type { Comparison, Quantifier } from "./syntax.ts"
import { bool, int, string, type StructType, type Type, uint } from "./types.ts"

/** A tree with names resolved and types checked. */
export type Checked = Span & {
  readonly type: Type
  /** Nodes of the tree from this node down: the least that one evaluation costs. */
  readonly size: number
} & CheckedParts

type LiteralParts = {
  readonly kind: "literal"
  readonly value: boolean | bigint | string
  /** An integer written as a string. */
  readonly quoted?: true
  /** The integer value of a string, used if the other operand turns out to be an integer at evaluation. */
  readonly decimal?: bigint
}

export type CheckedParts =
  | LiteralParts
  | { readonly kind: "list"; readonly items: readonly Checked[] }
  | { readonly kind: "struct"; readonly members: readonly (readonly [name: string, value: Checked])[] }
  | { readonly kind: "root"; readonly root: string }
  /** `slot`: the number of lambdas around the variable's own lambda. */
  | { readonly kind: "variable"; readonly name: string; readonly slot: number }
  | { readonly kind: "field"; readonly object: Checked; readonly of: StructType; readonly name: string }
  /** A key of a map or an index of a list or string; of a dynamic value, either. */
  | { readonly kind: "bracket"; readonly object: Checked; readonly key: Checked }
  | { readonly kind: "slice"; readonly object: Checked; readonly from: Checked; readonly to: Checked }
  | { readonly kind: "count"; readonly object: Checked }
  /** `item in list` evaluates the item first, `list.contains(item)` the list. */
  | {
      readonly kind: "membership"
      readonly item: Checked
      readonly list: Checked
      readonly itemFirst: boolean
    }
  | {
      readonly kind: "quantifier"
      readonly quantifier: Quantifier
      readonly object: Checked
      readonly slot: number
      readonly variable: string
      readonly body: Checked
    }
  | { readonly kind: "not"; readonly operand: Checked }
  | {
      readonly kind: "compare"
      readonly operator: Exclude<Comparison, "in">
      readonly left: Checked
      readonly right: Checked
    }
  | { readonly kind: "and" | "or"; readonly parts: readonly Checked[] }
  | { readonly kind: "fold"; readonly operand: Checked }
  | { readonly kind: "cron"; readonly cron: CronSpan; readonly clock: string }

/** The nodes directly below, in the order of evaluation. */
export function childrenOf(node: CheckedParts): readonly Checked[] {
  switch (node.kind) {
    case "literal":
    case "root":
    case "variable":
    case "cron":
      return []
    case "list":
      return node.items
    case "struct":
      return node.members.map(([, value]) => value)
    case "field":
    case "count":
      return [node.object]
    case "bracket":
      return [node.object, node.key]
    case "slice":
      return [node.object, node.from, node.to]
    case "membership":
      return node.itemFirst ? [node.item, node.list] : [node.list, node.item]
    case "quantifier":
      return [node.object, node.body]
    case "not":
    case "fold":
      return [node.operand]
    case "compare":
      return [node.left, node.right]
    case "and":
    case "or":
      return node.parts
    default:
      return node satisfies never
  }
}

/** Every node of the tree, parents before their children. */
export function* nodesOf(tree: Checked): Generator<Checked> {
  yield tree
  for (const child of childrenOf(tree)) yield* nodesOf(child)
}

export function checkedNode(place: Span, type: Type, parts: CheckedParts): Checked {
  const { offset, length } = place
  const size = childrenOf(parts).reduce((sum, child) => sum + child.size, 1)
  return { offset, length, type, size, ...parts }
}

/** The type of a literal: the smallest one that holds it. */
export function literalType(value: boolean | bigint | string): Type {
  if (typeof value === "bigint") return value <= MAX_INT ? int : uint
  return typeof value === "string" ? string : bool
}
