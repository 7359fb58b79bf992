import t from "tap"
import { type Ballot, contributes } from "../../../../../signer/core/policy/decision/ballot.ts"

/** A vote: whose, and by which kind of credential. */
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

/** The definition itself. */
function contributesByDefinition({ cast, open, holds }: Ballot<Vote>, voter: Vote): boolean {
  for (const added of sets(open)) {
    const all = [...cast, ...added]
    if (holds(all) && !holds(all.filter((one) => one !== voter))) return true
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

t.test("a vote contributes exactly where the definition says so", async (t) => {
  const next = chance(20_261_121)
  const tally = { yes: 0, no: 0 }
  for (let round = 0; round < 2000; round++) {
    const voteOf = (user: number): Vote => ({ user, kind: KINDS[next(KINDS.length)]! })
    const cast = Array.from({ length: 1 + next(3) }, (_, user) => voteOf(user))
    const open = Array.from({ length: next(5) }, (_, user) =>
      Array.from({ length: 1 + next(2) }, () => voteOf(10 + user)),
    )
    const ballot = {
      cast,
      open,
      holds: consensus(next, next(3)),
      kindOf: ({ kind }: Vote) => kind,
      most: 4,
      spend: () => true,
    }
    const voter = cast[next(cast.length)]!
    const expected = contributesByDefinition(ballot, voter) ? "yes" : "no"
    tally[expected] += 1
    t.equal(contributes(ballot, voter, 100_000), expected, `round ${round}`)
  }
  t.ok(tally.yes > 300 && tally.no > 300, JSON.stringify(tally))
})

t.test("a hundred users of one kind are tried by their number alone", async (t) => {
  let asked = 0
  const voter = { user: 0, kind: "a" }
  const ballot: Ballot<Vote> = {
    cast: [voter],
    open: Array.from({ length: 100 }, (_, user) => [{ user: user + 1, kind: "a" }]),
    holds: (votes) => {
      asked += 1
      return votes.length >= 5
    },
    kindOf: ({ kind }) => kind,
    most: 6,
    spend: () => true,
  }
  t.equal(contributes(ballot, voter, 500), "yes")
  t.ok(asked <= 10, `${asked} questions`)
})

t.test("what takes more attempts than are allowed is left undecided", async (t) => {
  const voter = { user: 0, kind: "0" }
  const ballot: Ballot<Vote> = {
    cast: [voter],
    open: Array.from({ length: 20 }, (_, user) => [{ user: user + 1, kind: `${user}` }]),
    holds: () => false,
    kindOf: ({ kind }) => kind,
    most: 1,
    spend: () => true,
  }
  t.equal(contributes(ballot, voter, 500), "undecided")
})

t.test("the search pays for every combination that it tries, and ends when it cannot", async (t) => {
  let left = 3000
  let asked = 0
  const voter = { user: 0, kind: "0" }
  const ballot: Ballot<Vote> = {
    cast: [voter],
    open: Array.from({ length: 100 }, (_, user) => [{ user: user + 1, kind: `${user}` }]),
    holds: () => {
      asked += 1
      return false
    },
    kindOf: ({ kind }) => kind,
    most: 1,
    spend: (steps) => (left -= steps) > 0,
  }
  t.equal(contributes(ballot, voter, 100_000), "undecided")
  t.ok(asked < 30, `${asked} questions`)
  t.equal(contributes(ballot, voter, 100_000), "undecided", "nor begins again")
  t.ok(asked < 30, `${asked} questions`)
})
