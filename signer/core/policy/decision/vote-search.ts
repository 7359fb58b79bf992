import type { Budget } from "../expression.ts"
import { type FormulaNode, holds, type VoteFormula } from "./vote-formula.ts"
import { type Lengths, spend, type VoterGroup } from "./voter-groups.ts"

/** A vote, the votes cast beside it, and those that users can still cast, as the lists of a formula count them. */
export type VoteSearch = {
  readonly formula: VoteFormula
  /** Elements that the vote adds. */
  readonly own: Lengths
  /** Elements of all votes cast but the vote. */
  readonly cast: Lengths
  readonly groups: readonly VoterGroup[]
  readonly budget: Budget
}

/**
 * True if users can vote so that the consensus holds with the vote and fails without it. Only numbers of votes matter.
 * @throws {OutOfSteps}
 */
export function contributes(search: VoteSearch): boolean {
  return hasLargeWitness(search) || hasWitness(search)
}

/** @throws {OutOfSteps} */
function decides({ formula, own, budget }: VoteSearch, lengths: Lengths): boolean {
  spend(budget, 2 * formula.size)
  return holds(formula.root, sum(lengths, own)) && !holds(formula.root, lengths)
}

/** Tries all numbers of votes, group by group; numbers that no comparison distinguishes are tried once. */
function hasWitness(search: VoteSearch): boolean {
  const { formula, cast, groups, budget } = search
  const bounds = formula.lists.map(({ bound }) => bound)
  const start = bounded(cast, bounds)
  const reached = new Map([[start.join(), start]])
  if (decides(search, start)) return true
  for (const { ways, size } of groups) {
    let latest = [...reached.values()]
    for (let votes = 0; votes < size && latest.length > 0; votes++) {
      const next: Lengths[] = []
      for (const lengths of latest) {
        for (const way of ways) {
          spend(budget, 1 + bounds.length)
          const more = bounded(sum(lengths, way), bounds)
          const key = more.join()
          if (reached.has(key)) continue
          if (decides(search, more)) return true
          reached.set(key, more)
          next.push(more)
        }
      }
      latest = next
    }
  }
  return false
}

/**
 * Tries the largest numbers of votes that leave a comparison false which the vote can make true, for each such comparison.
 * Then it tries fewer while the consensus still holds with the vote. True is certain; it is found without trying all numbers, which are too many
 * where a consensus names many users.
 */
function hasLargeWitness(search: VoteSearch): boolean {
  return lengthNodes(search.formula.root).some(({ list, operator, than }) => {
    if (search.own[list] === 0 || operator.startsWith("<") || operator === "!=") return false
    return isWitnessAt(search, list, operator === ">" ? than : than - 1)
  })
}

/** Votes of one group that are cast in one way. */
type Taken = { readonly way: Lengths; votes: number }

function isWitnessAt(search: VoteSearch, list: number, most: number): boolean {
  const { formula, own, cast, groups, budget } = search
  if ((cast[list] ?? 0) > most) return false
  spend(budget, groups.length)
  const taken: Taken[] = []
  let lengths = cast
  for (const { way, size } of bestWays(groups, list)) {
    const room = way[list] === 0 ? size : Math.min(size, most - (lengths[list] ?? 0))
    taken.push({ way, votes: room })
    lengths = sum(lengths, way, room)
  }
  const isMetWith = (some: Lengths) => {
    spend(budget, formula.size)
    return holds(formula.root, sum(some, own))
  }
  if (!isMetWith(lengths)) return false
  if (decides(search, lengths)) return true
  for (const one of taken) {
    const without = sum(lengths, one.way, -one.votes)
    const needed = leastWith(one.votes, (votes) => isMetWith(sum(without, one.way, votes)))
    lengths = sum(without, one.way, needed)
    if (decides(search, lengths)) return true
  }
  return false
}

/** The least number for which a test holds that holds for `most`, and for all larger ones if it does for one. */
function leastWith(most: number, test: (number: number) => boolean): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = (low + high) >> 1
    if (test(middle)) high = middle
    else low = middle + 1
  }
  return high
}

/** For each group the way with the most lists, if possible without `list`. Groups without `list` come first. */
function bestWays(groups: readonly VoterGroup[], list: number): { way: Lengths; size: number }[] {
  const rank = (way: Lengths) =>
    (way[list] === 0 ? way.length : 0) + way.reduce((count, one) => count + one, 0)
  return groups
    .map(({ ways, size }) => ({ way: ways.toSorted((one, other) => rank(other) - rank(one))[0] ?? [], size }))
    .toSorted((one, other) => rank(other.way) - rank(one.way))
}

function lengthNodes(node: FormulaNode): (FormulaNode & { kind: "length" })[] {
  if (node.kind === "length") return [node]
  if (node.kind === "and" || node.kind === "or") return node.parts.flatMap(lengthNodes)
  return node.kind === "not" ? lengthNodes(node.part) : []
}

function sum(lengths: Lengths, added: Lengths, times = 1): Lengths {
  return lengths.map((length, list) => length + times * (added[list] ?? 0))
}

function bounded(lengths: Lengths, bounds: readonly number[]): Lengths {
  return lengths.map((length, list) => Math.min(length, bounds[list] ?? 0))
}
