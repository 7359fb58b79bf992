import { compareLengths, type FormulaNode, type OpaqueNode } from "./vote-formula.ts"
import type { VoteSearch } from "./vote-search.ts"
import { type Lengths, spend } from "./voter-groups.ts"

/** The value that a part has for all numbers of votes that are possible. Undefined: it has either. */
export type Truth = boolean | undefined

/**
 * False if the vote certainly contributes with no votes: users cannot complete the consensus, or do not need the vote. Each
 * part of the formula is tested by itself, so true says nothing.
 * @param search of a formula without opaque parts
 * @throws {OutOfSteps}
 */
export function canMatter(search: VoteSearch): boolean {
  const { formula, groups, budget } = search
  spend(budget, groups.length + formula.size)
  return new Reach(search, () => undefined).canTurn(formula.root)
}

/**
 * False if the consensus certainly fails with the vote, however users vote.
 * @param truthOf value, with the vote, of an opaque part
 * @throws {OutOfSteps}
 */
export function canHold(search: VoteSearch, truthOf: (node: OpaqueNode) => Truth): boolean {
  const { formula, groups, budget } = search
  spend(budget, groups.length + formula.size)
  return new Reach(search, truthOf).truth(formula.root) !== false
}

type LengthNode = FormulaNode & { kind: "length" }

/** The values that parts of a formula can have while users vote. */
class Reach {
  readonly #own: Lengths
  readonly #cast: Lengths
  /** Lengths with the vote and all votes that are possible. */
  readonly #most: Lengths
  readonly #truthOf: (node: OpaqueNode) => Truth

  constructor({ own, cast, groups }: VoteSearch, truthOf: (node: OpaqueNode) => Truth) {
    this.#own = own
    this.#cast = cast
    this.#most = own.map((added, list) => {
      const ofGroups = groups.map(({ ways, size }) => size * Math.max(...ways.map((way) => way[list] ?? 0)))
      return ofGroups.reduce((sum, length) => sum + length, added + (cast[list] ?? 0))
    })
    this.#truthOf = truthOf
  }

  /** True if the vote may give a part the value `to` where the other parts let this decide. */
  canTurn(node: FormulaNode, to = true): boolean {
    switch (node.kind) {
      case "constant":
        return false
      case "and":
      case "or": {
        const decisive = node.kind === "or"
        return (
          node.parts.some((part) => this.canTurn(part, to)) && !this.#truths(node.parts).includes(decisive)
        )
      }
      case "not":
        return this.canTurn(node.part, !to)
      case "same":
        return [node.left, node.right].some((part) => this.canTurn(part, true) || this.canTurn(part, false))
      case "length":
        return this.#canTurnLength(node, to)
      case "lengths":
        return [node.left, node.right].some((list) => this.#own[list] !== 0)
      case "opaque":
        return true
      default:
        return node satisfies never
    }
  }

  truth(node: FormulaNode): Truth {
    switch (node.kind) {
      case "constant":
        return node.value
      case "and":
      case "or": {
        const decisive = node.kind === "or"
        const truths = this.#truths(node.parts)
        if (truths.includes(decisive)) return decisive
        return truths.includes(undefined) ? undefined : !decisive
      }
      case "not": {
        const truth = this.truth(node.part)
        return truth === undefined ? undefined : !truth
      }
      case "length":
        return this.#truthOfLength(node)
      case "same":
      case "lengths":
        return undefined
      case "opaque":
        return this.#truthOf(node)
      default:
        return node satisfies never
    }
  }

  #truths(parts: readonly FormulaNode[]): Truth[] {
    return parts.map((part) => this.truth(part))
  }

  #truthOfLength({ list, operator, than }: LengthNode): Truth {
    const [least, most] = [this.#cast[list] ?? 0, this.#most[list] ?? 0]
    const value = compareLengths(least, operator, than)
    // A comparison with an integer changes its value beside the integer only.
    for (let length = Math.max(least, than - 1); length <= Math.min(most, than + 1); length++)
      if (compareLengths(length, operator, than) !== value) return undefined
    return value
  }

  #canTurnLength({ list, operator, than }: LengthNode, to: boolean): boolean {
    const own = this.#own[list] ?? 0
    const [least, most] = [this.#cast[list] ?? 0, (this.#most[list] ?? 0) - own]
    for (let length = Math.max(least, than - own); length <= Math.min(most, than + 1); length++) {
      const after = compareLengths(length + own, operator, than)
      if (after === to && compareLengths(length, operator, than) !== to) return true
    }
    return false
  }
}
