import { type Checked, childrenOf } from "../language/checked.ts"

/** Roots that hold one element for each vote. */
export type VotesRoot = "approvers" | "credentials"

/** Part of a vote that an expression compares with texts, as `approvers.id`. */
export type VotePart = `${VotesRoot}.${string}`

/** A test whether a part of a vote, or one of its tags, is one of some literal texts. */
export type ComparedText = { readonly part: VotePart; readonly texts: ReadonlySet<string> }

/**
 * All tests that conditions on one vote make, if they only compare its parts with literal texts. Votes with the
 * same answers to all of them are then equal for the conditions. Undefined: the conditions read votes in another way.
 */
export function comparedTexts(root: VotesRoot, conditions: readonly Checked[]): ComparedText[] | undefined {
  const compared: ComparedText[] = []
  return conditions.every((condition) => collect(condition, { root, compared })) ? compared : undefined
}

type Context = {
  readonly root: VotesRoot
  readonly compared: ComparedText[]
  /** Slot of the variable that holds a tag. */
  readonly tagSlot?: number
}

function collect(node: Checked, context: Context): boolean {
  switch (node.kind) {
    case "variable":
    case "field":
    case "root":
      return false
    case "compare":
      return (
        keep(node.left, [node.right], context) ||
        keep(node.right, [node.left], context) ||
        childrenOf(node).every((child) => collect(child, context))
      )
    case "membership": {
      const { item, list } = node
      if (list.kind === "list") return keep(item, list.items, context) || isLiteral(node)
      return isTags(list) && keep(list, [item], context)
    }
    case "quantifier":
      if (!isTags(node.object) || node.quantifier === "filter" || context.tagSlot !== undefined) return false
      // Users with tags differ here from users without, even if the body compares no tag.
      context.compared.push({ part: `${context.root}.tags`, texts: new Set() })
      return collect(node.body, { ...context, tagSlot: node.slot })
    default:
      return childrenOf(node).every((child) => collect(child, context))
  }
}

/** False: `compared` is no part of a vote, or one of the others is no literal text. */
function keep(
  compared: Checked,
  others: readonly Checked[],
  { root, compared: all, tagSlot }: Context,
): boolean {
  const name = compared.kind === "variable" && compared.slot === tagSlot ? "tags" : fieldOf(compared)
  const texts = others.flatMap((one) =>
    one.kind === "literal" && typeof one.value === "string" ? [one.value] : [],
  )
  if (name === undefined || texts.length !== others.length) return false
  all.push({ part: `${root}.${name}`, texts: new Set(texts) })
  return true
}

function isTags(node: Checked): boolean {
  return fieldOf(node) === "tags"
}

/** Name of a field of a vote. Only votes and tags are variables here, and tags have no fields. */
function fieldOf(node: Checked): string | undefined {
  return node.kind === "field" && node.object.kind === "variable" ? node.name : undefined
}

function isLiteral(node: Checked): boolean {
  return (
    node.kind === "literal" ||
    (node.kind !== "variable" && node.kind !== "root" && childrenOf(node).every(isLiteral))
  )
}
