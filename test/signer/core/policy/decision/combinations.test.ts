// Combinations of votes that a search tries: each once, and few votes first.
import t from "tap"
import {
  type ConsensusSearch,
  canContribute,
} from "../../../../../signer/core/policy/decision/consensus-search.ts"

/** A user's vote, and its class. */
type Vote = { user: string; kind: string }

const MAX_PER_CLASS = 2

/** Users by the classes of their votes. A vote without class makes no difference. */
const USERS: readonly (readonly [user: string, kinds: string])[] = [
  ["one 1", "a"],
  ["two 1", "ab"],
  ["none", " "],
  ["one 2", "a"],
  ["three 1", "abc"],
  ["two 2", "b a"],
  ["one 3", "a"],
  ["three 2", "cab"],
  ["three 3", "bca"],
]

const voter: Vote = { user: "voter", kind: "a" }

function record(isMetBy: (votes: readonly Vote[]) => boolean = () => false) {
  const tried: Vote[][] = []
  const spent: number[] = []
  const search: ConsensusSearch<Vote> = {
    cast: [voter],
    possible: USERS.map(([user, kinds]) => kinds.split("").map((kind) => ({ user, kind: kind.trim() }))),
    isMetBy: (votes) => {
      tried.push(votes.slice(1))
      return isMetBy(votes)
    },
    classOf: ({ kind }) => kind,
    maxPerClass: MAX_PER_CLASS,
    spend: (steps) => spent.push(steps) > 0,
  }
  const result = canContribute(search, voter, 10_000)
  return { result, tried, spent }
}

/** Numbers of votes by users' group and class: two groups that differ only in their users are told apart. */
const numbersOf = (votes: readonly Vote[]) =>
  JSON.stringify(
    Object.entries(Object.groupBy(votes, ({ user, kind }) => `${user.split(" ")[0]} ${kind}`))
      .map(([name, all = []]) => [name, all.length])
      .toSorted(([one], [other]) => String(one).localeCompare(String(other))),
  )

/** Every choice of numbers: of each group no more votes than it has users, and no more of one class than count. */
function expected(): string[] {
  const counts = [0, 1, 2]
  const all: string[] = []
  const votes = (group: string, kind: string, number: number) =>
    Array.from({ length: number }, () => ({ user: `${group} 0`, kind }))
  for (const oneA of counts)
    for (const [twoA, twoB] of counts.flatMap((a) => counts.map((b) => [a, b] as const)))
      for (const [a, b, c] of counts.flatMap((a) =>
        counts.flatMap((b) => counts.map((c) => [a, b, c] as const)),
      ))
        if (twoA + twoB <= 2 && a + b + c <= 3)
          all.push(
            numbersOf([
              ...votes("one", "a", oneA),
              ...votes("two", "a", twoA),
              ...votes("two", "b", twoB),
              ...votes("three", "a", a),
              ...votes("three", "b", b),
              ...votes("three", "c", c),
            ]),
          )
  return all.toSorted()
}

t.test("every number of votes of each class is tried once, and few votes first", async (t) => {
  const { result, tried } = record()
  t.equal(result, "no")
  t.same(tried.map(numbersOf).toSorted(), expected())
  const sizes = tried.map((votes) => votes.length)
  t.same(
    sizes,
    sizes.toSorted((one, other) => one - other),
  )
  for (const votes of tried)
    t.equal(new Set(votes.map(({ user }) => user)).size, votes.length, "one of each user")
})

t.test("a search is charged for each user's votes and for each combination", async (t) => {
  const { tried, spent } = record()
  const ofUsers = USERS.map(([, kinds]) => 1 + kinds.length)
  // One vote cast, six classes in three groups, and the attempt itself.
  t.same(spent, [...ofUsers, ...tried.map(() => 8)])
})

t.test("a search ends with the first combination that the vote completes", async (t) => {
  const { result, tried } = record((votes) => votes.length >= 3)
  t.equal(result, "yes")
  t.equal(tried.at(-2)?.length, 2, "the combination with the vote")
  t.equal(tried.at(-1)?.length, 1, "and without it")
})

t.test("a search may take as many attempts as it is allowed", async (t) => {
  const search: ConsensusSearch<Vote> = {
    cast: [voter],
    possible: [[{ user: "other", kind: "b" }]],
    isMetBy: () => false,
    classOf: ({ kind }) => kind,
    maxPerClass: 1,
    spend: () => true,
  }
  t.equal(canContribute(search, voter, 2), "no")
  t.equal(canContribute(search, voter, 1), "undecided")
})
