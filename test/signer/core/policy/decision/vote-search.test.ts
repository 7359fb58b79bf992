// Numbers of votes with which a vote contributes: of every kind, and against the definition.
import t from "tap"
import { Budget } from "../../../../../signer/core/policy/expression.ts"
import {
  type FormulaNode,
  holds,
  type VoteFormula,
} from "../../../../../signer/core/policy/decision/vote-formula.ts"
import { canMatter } from "../../../../../signer/core/policy/decision/vote-reach.ts"
import { contributes, type VoteSearch } from "../../../../../signer/core/policy/decision/vote-search.ts"
import {
  type Lengths,
  OutOfSteps,
  type VoterGroup,
} from "../../../../../signer/core/policy/decision/voter-groups.ts"

const LISTS = 3

type Next = (below: number) => number

/** Small numbers, the same in every run. */
function chance(seed: number): Next {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const pick = <T>(next: Next, all: readonly T[]): T => all[next(all.length)]!

function formulaNode(next: Next, depth = 3): FormulaNode {
  if (depth > 0 && next(4) > 0) {
    const parts = Array.from({ length: 2 + next(2) }, () => formulaNode(next, depth - 1))
    const [left, right] = [parts[0]!, parts[1]!]
    return pick<FormulaNode>(next, [
      { kind: "and", parts },
      { kind: "and", parts },
      { kind: "or", parts },
      { kind: "not", part: left },
      { kind: "same", left, right },
    ])
  }
  const operator = pick(next, [">=", ">=", ">", "==", "!=", "<", "<="] as const)
  if (next(12) === 0) return { kind: "lengths", left: next(LISTS), operator, right: next(LISTS) }
  if (next(20) === 0) return { kind: "constant", value: next(2) === 0 }
  return { kind: "length", list: next(LISTS), operator, than: next(4) }
}

/** Largest integer that each list is compared with, and one more. */
function boundsOf(node: FormulaNode): number[] {
  const bounds = Array.from({ length: LISTS }, () => 0)
  const look = (one: FormulaNode): void => {
    if (one.kind === "length") bounds[one.list] = Math.max(bounds[one.list]!, one.than + 1)
    if (one.kind === "lengths") bounds[one.left] = bounds[one.right] = Infinity
    if (one.kind === "and" || one.kind === "or") one.parts.forEach(look)
    if (one.kind === "not") look(one.part)
    if (one.kind === "same") [one.left, one.right].forEach(look)
  }
  look(node)
  return bounds
}

function formulaOf(root: FormulaNode): VoteFormula {
  const lists = boundsOf(root).map((bound) => ({ root: "approvers" as const, bound }))
  return { root, lists, size: 10, opaque: [] }
}

const way = (next: Next): Lengths => Array.from({ length: LISTS }, () => next(2))
const group = (ways: readonly Lengths[], size: number): VoterGroup => ({
  ways,
  size,
  users: () => [],
  has: () => false,
})

function searchOf(next: Next): VoteSearch {
  const groups = Array.from({ length: next(4) }, () =>
    group(
      Array.from({ length: 1 + next(2) }, () => way(next)),
      1 + next(3),
    ),
  )
  const cast = Array.from({ length: LISTS }, () => next(3))
  return { formula: formulaOf(formulaNode(next)), own: way(next), cast, groups, budget: new Budget() }
}

const plus = (one: Lengths, other: Lengths): Lengths => one.map((length, list) => length + (other[list] ?? 0))

/** Lengths after every way in which the users of the groups can vote, or not. */
function everyVote(search: VoteSearch): Lengths[] {
  let all = [search.cast]
  for (const { ways, size } of search.groups)
    for (let user = 0; user < size; user++)
      all = all.flatMap((lengths) => [lengths, ...ways.map((one) => plus(lengths, one))])
  return all
}

/** The definition, word for word. */
function contributesByDefinition(search: VoteSearch): boolean {
  const { root } = search.formula
  return everyVote(search).some((lengths) => holds(root, plus(lengths, search.own)) && !holds(root, lengths))
}

t.test("a vote contributes exactly where the definition says it does", async (t) => {
  const next = chance(20_261_121)
  const tally = { contributes: 0, not: 0, ruledOut: 0 }
  for (let round = 0; round < 5000; round++) {
    const search = searchOf(next)
    const expected = contributesByDefinition(search)
    const text = JSON.stringify({ ...search, budget: undefined })
    if (contributes(search) !== expected) t.fail(text)
    const mayMatter = canMatter(search)
    if (expected && !mayMatter) t.fail(`ruled out: ${text}`)
    tally[expected ? "contributes" : "not"] += 1
    if (!mayMatter) tally.ruledOut += 1
  }
  t.ok(tally.contributes > 500 && tally.not > 1000, JSON.stringify(tally))
  t.ok(tally.ruledOut > tally.not / 2, `most of those that do not are ruled out: ${JSON.stringify(tally)}`)
})

/** A formula of `number` lists that must each have a vote. */
function all(number: number): VoteFormula {
  const parts = Array.from({ length: number }, (_, list) => ({
    kind: "length" as const,
    list,
    operator: ">=" as const,
    than: 1,
  }))
  const lists = parts.map(() => ({ root: "approvers" as const, bound: 2 }))
  return { root: { kind: "and", parts }, lists, size: number + 1, opaque: [] }
}

const only = (number: number, list: number): Lengths =>
  Array.from({ length: number }, (_, index) => (index === list ? 1 : 0))

t.test("forty users who must all vote need no search of their sets", async (t) => {
  const groups = Array.from({ length: 39 }, (_, user) => group([only(40, user)], 1))
  const search = (own: number, among = groups): VoteSearch => ({
    formula: all(40),
    own: only(40, own),
    cast: only(40, -1),
    groups: among,
    budget: new Budget(5000),
  })
  t.ok(canMatter(search(39)) && contributes(search(39)))
  t.notOk(canMatter(search(39, groups.slice(1))), "with one of them gone")
})

t.test("forty named users, or more votes than there are, need no search of their sets", async (t) => {
  const { root, ...formula } = all(40)
  const many = { kind: "length" as const, list: 40, operator: ">=" as const, than: 45 }
  const lists = [...formula.lists, { root: "approvers" as const, bound: 46 }]
  const either: VoteFormula = { ...formula, lists, size: 43, root: { kind: "or", parts: [root, many] } }
  const groups = Array.from({ length: 39 }, (_, user) => group([[...only(40, user), 1]], 1))
  const others = group([[...only(40, -1), 1]], 100)
  const own = [...only(40, 39), 1]
  const cast = [...only(40, -1), 0]
  t.ok(contributes({ formula: either, own, cast, groups: [...groups, others], budget: new Budget(20_000) }))
})

t.test("a search ends when its steps are used up", async (t) => {
  const groups = Array.from({ length: 30 }, (_, user) => group([only(31, user)], 1))
  const exactly = Array.from({ length: 31 }, (_, list) => ({
    kind: "length" as const,
    list,
    operator: "==" as const,
    than: 7,
  }))
  const lists = exactly.map(() => ({ root: "approvers" as const, bound: 8 }))
  const formula: VoteFormula = { root: { kind: "or", parts: exactly }, lists, size: 32, opaque: [] }
  const budget = new Budget(10_000)
  t.throws(() => contributes({ formula, own: only(31, 30), cast: only(31, -1), groups, budget }), OutOfSteps)
  t.equal(budget.left, 0)
})
