import { type Checked, childrenOf } from "../../signer/core/policy/language/checked.ts"

/** A value that is compared with a literal, by an operator, `in` or `contains`. */
export type ComparedLiteral = {
  readonly subject: Checked
  readonly literal: Extract<Checked, { kind: "literal" }>
  /** The expression is true where they differ: `!=`, or below an odd number of `!`. */
  readonly isNegated: boolean
}

/** Every pair of a value and the literal that it is compared with, in the order of the text. */
export function* comparedLiterals(node: Checked, isNegated = false): Generator<ComparedLiteral> {
  if (node.kind === "compare") {
    const isOther = node.operator === "!=" ? !isNegated : isNegated
    if (node.right.kind === "literal") yield { subject: node.left, literal: node.right, isNegated: isOther }
    else if (node.left.kind === "literal")
      yield { subject: node.right, literal: node.left, isNegated: isOther }
  }
  if (node.kind === "membership") {
    const { item, list } = node
    if (item.kind === "literal" && list.type.kind === "list")
      yield { subject: { ...list, type: list.type.of }, literal: item, isNegated }
    for (const one of list.kind === "list" ? list.items : [])
      if (one.kind === "literal") yield { subject: item, literal: one, isNegated }
  }
  const below = node.kind === "not" ? !isNegated : isNegated
  for (const child of childrenOf(node)) yield* comparedLiterals(child, below)
}
