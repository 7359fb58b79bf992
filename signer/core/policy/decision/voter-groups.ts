import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { type Budget, evaluate } from "../expression.ts"
import { approvalFacts } from "../facts/approvals.ts"
import type { Approval } from "./decision-input.ts"
import type { VoteFormula, VoteList, VoteTest } from "./vote-formula.ts"
import { answersOf, type KindFamily, type UserKind, type Voters } from "./voters.ts"

/** Ends a search whose steps are used up. Not an Error: it is common, and building a stack costs time. */
export class OutOfSteps {
  readonly name = "OutOfSteps"
}

/** @throws {OutOfSteps} */
export function spend(budget: Budget, steps: number): void {
  budget.spend(steps)
  if (budget.left === 0) throw new OutOfSteps()
}

/** Elements that votes add to each list of a formula. */
export type Lengths = readonly number[]

/** Users whose votes add the same to the lists of a formula. */
export type VoterGroup = {
  /** The ways in which a user of the group can vote such that a list gets longer. */
  readonly ways: readonly Lengths[]
  readonly size: number
  readonly users: () => Iterable<User>
  readonly has: (user: User) => boolean
}

/** The votes of an organization's users, as the lists of one formula count them. */
export class VoterGroups {
  readonly #lists: readonly VoteList[]
  readonly #voters: Voters
  readonly #budget: Budget
  /** True if all votes of one user add the same. */
  readonly #isOfUsers: boolean
  /** For each list: elements that votes with the same answers to its tests add. */
  readonly #byAnswers: readonly Map<string, number | undefined>[]

  constructor({ lists }: VoteFormula, voters: Voters, budget: Budget) {
    this.#lists = lists
    this.#voters = voters
    this.#budget = budget
    this.#isOfUsers = lists.every(({ root }) => root === "approvers")
    this.#byAnswers = lists.map(() => new Map<string, number | undefined>())
  }

  /**
   * Elements that a vote adds to each list. Undefined: a condition has no value for it, so no consensus with this vote
   * has one. @throws {OutOfSteps}
   */
  lengthsOf(vote: Approval): Lengths | undefined {
    const lengths: number[] = []
    for (const [index, list] of this.#lists.entries()) {
      const length = this.#lengthOf(vote, list, index)
      if (length === undefined) return undefined
      lengths.push(length)
    }
    return lengths
  }

  /**
   * The users who can still vote, in groups. A user who adds nothing to any list is in none.
   * @param voted ids of users who have voted
   * @throws {OutOfSteps}
   */
  beside(voted: ReadonlySet<string>): VoterGroup[] {
    const read = this.#readAlone()
    const apart = new Set([...read.users.keys(), ...voted])
    spend(this.#budget, apart.size + read.kinds.size)
    const groups = new Map<string, VoterGroup>()
    const add = (user: User | undefined, part: Omit<VoterGroup, "ways">) => {
      const ways = user === undefined ? NO_WAYS : this.#waysOf(user)
      if (ways.size === 0) return
      const key = ways.size === 1 ? [...ways.keys()].join() : [...ways.keys()].toSorted().join(" ")
      const before = groups.get(key)
      groups.set(key, before === undefined ? { ways: [...ways.values()], ...part } : union(before, part))
    }
    for (const user of read.users.values())
      if (!voted.has(user.userId)) add(user, { size: 1, users: () => [user], has: (one) => one === user })
    const { byUserId, families } = this.#voters.kinds
    const isOpen = ({ userId }: User) => !apart.has(userId)
    const sizes = openSizes(this.#voters, read.kinds, apart)
    for (const kind of read.kinds) {
      const has = (user: User) => isOpen(user) && byUserId.get(user.userId) === kind
      const size = sizes.get(kind) ?? 0
      if (size > 0) add(kind.users.find(isOpen), { size, users: () => kind.users.filter(isOpen), has })
    }
    for (const family of families) {
      const has = (user: User) => {
        const kind = byUserId.get(user.userId)
        return kind?.family === family && !read.kinds.has(kind) && isOpen(user)
      }
      const users = () => usersIn(family, has)
      const size = sizes.get(family) ?? family.size
      if (size > 0) add(first(users()), { size, users, has })
    }
    return [...groups.values()]
  }

  /** Users, and kinds of users, who may differ from others of their family. */
  #readAlone(): { users: ReadonlyMap<string, User>; kinds: ReadonlySet<UserKind> } {
    if (this.#lists.some(({ compared }) => compared === undefined))
      return { users: new Map(this.#voters.users.map((user) => [user.userId, user])), kinds: new Set() }
    const users = new Map<string, User>()
    const kinds = new Set<UserKind>()
    for (const test of this.#lists.flatMap(({ compared = [] }) => compared)) {
      spend(this.#budget, test.texts.size)
      for (const found of this.#voters.whereTrue(test)) {
        spend(this.#budget, 1)
        if ("users" in found) kinds.add(found)
        else users.set(found.userId, found)
      }
    }
    return { users, kinds }
  }

  #waysOf(user: User): ReadonlyMap<string, Lengths> {
    const ways = new Map<string, Lengths>()
    const votes = this.#voters.votesOf(user)
    for (const vote of this.#isOfUsers ? votes.slice(0, 1) : votes) {
      const lengths = this.lengthsOf(vote)
      if (lengths?.some((length) => length > 0)) ways.set(lengths.join(), lengths)
    }
    return ways
  }

  #lengthOf(vote: Approval, { root, test, compared }: VoteList, index: number): number | undefined {
    const { user, credentials } = vote
    spend(this.#budget, 1)
    if (test === undefined) return root === "approvers" ? 1 : credentials.length
    if (root === "credentials" && credentials.length > 1) {
      const list = this.#lists[index]!
      const each = credentials.map((one) => this.#lengthOf({ user, credentials: [one] }, list, index))
      return each.includes(undefined) ? undefined : each.reduce<number>((sum, length = 0) => sum + length, 0)
    }
    if (compared === undefined) return this.#evaluate(test, vote)
    spend(this.#budget, compared.length)
    const answers = answersOf(vote, compared)
    const known = this.#byAnswers[index]!
    if (!known.has(answers)) known.set(answers, this.#evaluate(test, vote))
    return known.get(answers)
  }

  #evaluate(test: VoteTest, vote: Approval): number | undefined {
    const evaluation = evaluate(test, approvalFacts([vote]), this.#budget)
    if ("value" in evaluation) return evaluation.value ? 1 : 0
    if (evaluation.fault.reason === "budget") throw new OutOfSteps()
    return undefined
  }
}

const NO_WAYS: ReadonlyMap<string, Lengths> = new Map()

function union(one: VoterGroup, other: Omit<VoterGroup, "ways">): VoterGroup {
  const { ways } = one
  function* users(): Generator<User> {
    yield* one.users()
    yield* other.users()
  }
  return { ways, size: one.size + other.size, users, has: (user) => one.has(user) || other.has(user) }
}

function* usersIn({ kinds }: KindFamily, has: (user: User) => boolean): Generator<User> {
  for (const { users } of kinds) for (const user of users) if (has(user)) yield user
}

function first<Value>(values: Iterable<Value>): Value | undefined {
  for (const value of values) return value
  return undefined
}

/** Numbers of users who are not apart: of each kind read alone, and of families without those kinds. */
function openSizes(
  { kinds: { byUserId } }: Voters,
  kinds: ReadonlySet<UserKind>,
  apart: ReadonlySet<string>,
): ReadonlyMap<UserKind | KindFamily, number> {
  const sizes = new Map<UserKind | KindFamily, number>()
  const subtract = (from: UserKind | KindFamily, all: number, number: number) =>
    sizes.set(from, (sizes.get(from) ?? all) - number)
  for (const kind of kinds) {
    subtract(kind, kind.users.length, 0)
    subtract(kind.family, kind.family.size, kind.users.length)
  }
  for (const userId of apart) {
    const kind = byUserId.get(userId)
    if (kind === undefined) continue
    if (kinds.has(kind)) subtract(kind, kind.users.length, 1)
    else subtract(kind.family, kind.family.size, 1)
  }
  return sizes
}
