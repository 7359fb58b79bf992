import t from "tap"
import {
  type ConsensusSearch,
  canContribute,
} from "../../../../../signer/core/policy/decision/consensus-search.ts"

/** A user's vote, and its class. */
type Vote = { user: number; kind: string }

/** Every set of votes that could still be cast, one of each user. */
function* sets(open: readonly (readonly Vote[])[]): Generator<Vote[]> {
  const [votes, ...rest] = open
  if (votes === undefined) {
    yield []
    return
  }
  for (const others of sets(rest)) {
    yield others
    for (const vote of votes) yield [vote, ...others]
  }
}

/** The definition, word for word. */
function contributesByDefinition({ cast, possible, isMetBy }: ConsensusSearch<Vote>, voter: Vote): boolean {
  for (const added of sets([...possible])) {
    const all = [...cast, ...added]
    if (isMetBy(all) && !isMetBy(all.filter((one) => one !== voter))) return true
  }
  return false
}

/** Small numbers, the same in every run. */
function chance(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const KINDS = ["", "a", "b", "c"]

/** A consensus over numbers of votes: thresholds, joined by and, or; some with a not. */
function consensus(next: (below: number) => number, depth: number): (votes: readonly Vote[]) => boolean {
  if (depth > 0) {
    const [one, other] = [consensus(next, depth - 1), consensus(next, depth - 1)]
    return next(2) === 0 ? (votes) => one(votes) && other(votes) : (votes) => one(votes) || other(votes)
  }
  const kinds = KINDS.slice(1).filter(() => next(2) === 0)
  const [least, exactly, inverted] = [1 + next(3), next(5) === 0, next(6) === 0]
  return (votes) => {
    const count = votes.filter(({ kind }) => kinds.includes(kind)).length
    return (exactly ? count === least : count >= least) !== inverted
  }
}

t.test("a vote contributes exactly where the definition says it does", async (t) => {
  const next = chance(20_261_121)
  const tally = { yes: 0, no: 0 }
  for (let round = 0; round < 2000; round++) {
    const voteOf = (user: number): Vote => ({ user, kind: KINDS[next(KINDS.length)]! })
    const cast = Array.from({ length: 1 + next(3) }, (_, user) => voteOf(user))
    const possible = Array.from({ length: next(5) }, (_, user) =>
      Array.from({ length: 1 + next(2) }, () => voteOf(10 + user)),
    )
    const search = {
      cast,
      possible,
      isMetBy: consensus(next, next(3)),
      classOf: ({ kind }: Vote) => kind,
      maxPerClass: 4,
      spend: () => true,
    }
    const voter = cast[next(cast.length)]!
    const expected = contributesByDefinition(search, voter) ? "yes" : "no"
    tally[expected] += 1
    t.equal(canContribute(search, voter, 100_000), expected, `round ${round}`)
  }
  t.ok(tally.yes > 300 && tally.no > 300, JSON.stringify(tally))
})

t.test("a hundred users of one class are tried by their number alone", async (t) => {
  let asked = 0
  const voter = { user: 0, kind: "a" }
  const search: ConsensusSearch<Vote> = {
    cast: [voter],
    possible: Array.from({ length: 100 }, (_, user) => [{ user: user + 1, kind: "a" }]),
    isMetBy: (votes) => {
      asked += 1
      return votes.length >= 5
    },
    classOf: ({ kind }) => kind,
    maxPerClass: 6,
    spend: () => true,
  }
  t.equal(canContribute(search, voter, 500), "yes")
  t.ok(asked <= 10, `${asked} questions`)
})

t.test("a search that takes more attempts than allowed ends undecided", async (t) => {
  const voter = { user: 0, kind: "0" }
  const search: ConsensusSearch<Vote> = {
    cast: [voter],
    possible: Array.from({ length: 20 }, (_, user) => [{ user: user + 1, kind: `${user}` }]),
    isMetBy: () => false,
    classOf: ({ kind }) => kind,
    maxPerClass: 1,
    spend: () => true,
  }
  t.equal(canContribute(search, voter, 500), "undecided")
})

t.test("a search is charged for every combination, and ends when its budget is used up", async (t) => {
  let left = 3000
  let asked = 0
  const voter = { user: 0, kind: "0" }
  const search: ConsensusSearch<Vote> = {
    cast: [voter],
    possible: Array.from({ length: 100 }, (_, user) => [{ user: user + 1, kind: `${user}` }]),
    isMetBy: () => {
      asked += 1
      return false
    },
    classOf: ({ kind }) => kind,
    maxPerClass: 1,
    spend: (steps) => (left -= steps) > 0,
  }
  t.equal(canContribute(search, voter, 100_000), "undecided")
  t.ok(asked < 30, `${asked} questions`)
  t.equal(canContribute(search, voter, 100_000), "undecided", "it does not begin again")
  t.ok(asked < 30, `${asked} questions`)
})

t.test("a user's possible votes are charged before those of the next are looked at", async (t) => {
  let looked = 0
  function* users(): Generator<Vote[]> {
    for (let user = 1; ; user++) {
      looked += 1
      yield user % 2 === 0 ? [] : [{ user, kind: "a" }]
    }
  }
  let left = 30
  const voter = { user: 0, kind: "a" }
  const search: ConsensusSearch<Vote> = {
    cast: [voter],
    possible: users(),
    isMetBy: () => false,
    classOf: ({ kind }) => kind,
    maxPerClass: 1,
    spend: (steps) => (left -= steps) > 0,
  }
  t.equal(canContribute({ ...search, possible: users() }, { user: 0, kind: "" }, 500), "no")
  t.equal(looked, 0, "a vote that makes no difference needs no other")
  t.equal(canContribute(search, voter, 500), "undecided")
  t.equal(looked, 20, "a user without a vote is charged too")
})
