import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Steps } from "../../turns/steps.ts"
import { type Budget, type Compiled, evaluate } from "../expression.ts"
import { approvalFacts } from "../facts/approvals.ts"
import { contributesInSomeSet } from "./consensus-search.ts"
import type { Approval } from "./decision-input.ts"
import { formulaOf, holds, type OpaqueNode, type VoteFormula } from "./vote-formula.ts"
import { canHold, canMatter, type Truth } from "./vote-reach.ts"
import { contributes } from "./vote-search.ts"
import { type Lengths, OutOfSteps, spend, type VoterGroup, VoterGroups } from "./voter-groups.ts"
import type { Voters } from "./voters.ts"

/** "undecided": the steps were used up before. */
export type SearchResult = "yes" | "no" | "undecided"

/** A consensus, the votes cast, and the users who can still vote, within a budget. */
export class PendingConsensus {
  readonly #consensus: Compiled
  readonly #approvals: readonly Approval[]
  readonly #voters: Voters
  readonly #budget: Budget
  readonly #formula: VoteFormula
  readonly #groups: VoterGroups

  constructor(consensus: Compiled, approvals: readonly Approval[], voters: Voters, budget: Budget) {
    this.#consensus = consensus
    this.#approvals = approvals
    this.#voters = voters
    this.#budget = budget
    this.#formula = formulaOf(consensus)
    this.#groups = new VoterGroups(this.#formula, voters, budget)
  }

  /** Says whether a vote cast contributes: other votes may still complete the consensus. */
  hasContributingVote(): SearchResult {
    return this.#search(() => {
      const cast = this.#approvals
      const groups = this.#groups.beside(idsOf(cast))
      return cast.some((vote) => this.#contributes(vote, cast, groups))
    })
  }

  /**
   * Says whether one more vote would contribute: beside the votes cast or, if they suffice, beside any others. So a vote that
   * counts is not refused because others came first.
   */
  wouldContribute(vote: Approval): SearchResult {
    return this.#search(() => {
      const cast = [...this.#castBeside(), vote]
      return this.#contributes(vote, cast, this.#groups.beside(idsOf(cast)))
    })
  }

  /**
   * Finds the users whose vote would contribute. Each step is one group of users who vote alike, or one user.
   * @param open users to find; a user is deleted when `found`
   * @returns "undecided" if more of them may be found
   */
  *findContributors(open: Set<User>, found: (user: User) => void): Steps<SearchResult> {
    const take = (user: User) => {
      if (open.delete(user)) found(user)
    }
    try {
      const cast = this.#castBeside()
      if (open.size === 0) return "yes"
      if (this.#formula.opaque.length === 0) yield* this.#findGroups(cast, open, take)
      else {
        // All users count, so that the results of other searches do not change the steps.
        for (const user of this.#voters.users) {
          if (this.#isContributor(user, cast)) take(user)
          yield
        }
      }
      return "yes"
    } catch (error) {
      return undecidedOr(error)
    }
  }

  *#findGroups(cast: readonly Approval[], open: ReadonlySet<User>, take: (user: User) => void): Steps<void> {
    const beside = this.#sumOf(cast)
    if (beside === undefined) return
    const groups = this.#groups.beside(idsOf(cast))
    for (const [index, group] of groups.entries()) {
      const { ways, size, users, has } = group
      const others = groups.with(index, { ...group, size: size - 1 })
      const isContributing = ways.some((own) => this.#contributesInNumbers(own, beside, others))
      // The fewer of both are looked at.
      if (isContributing) for (const user of size < open.size ? users() : open) if (has(user)) take(user)
      yield
    }
  }

  #isContributor(user: User, cast: readonly Approval[]): boolean {
    if (cast.some((vote) => vote.user.userId === user.userId)) return false
    const groups = this.#groups.beside(idsOf([...cast, { user }]))
    return this.#voters.votesOf(user).some((vote) => this.#contributes(vote, [...cast, vote], groups))
  }

  /** @param cast the vote among them */
  #contributes(vote: Approval, cast: readonly Approval[], groups: readonly VoterGroup[]): boolean {
    const own = this.#groups.lengthsOf(vote)
    const beside = this.#sumOf(cast.filter((one) => one !== vote))
    if (own === undefined || beside === undefined) return false
    if (this.#formula.opaque.length === 0) return this.#contributesInNumbers(own, beside, groups)
    const truths = this.#truthsOfPlaces(cast)
    if (truths === undefined) return false
    const search = { formula: this.#formula, own, cast: beside, groups, budget: this.#budget }
    if (!canHold(search, (node) => truths.get(node))) return false
    const isMetBy = (votes: readonly Approval[]) => this.#isMetBy(votes)
    return contributesInSomeSet({ vote, cast, possible: this.#possibleBeside(cast), isMetBy })
  }

  #contributesInNumbers(own: Lengths, cast: Lengths, groups: readonly VoterGroup[]): boolean {
    const search = { formula: this.#formula, own, cast, groups, budget: this.#budget }
    return canMatter(search) && contributes(search)
  }

  /** The votes cast; none if they suffice. */
  #castBeside(): readonly Approval[] {
    return this.#isMet() ? [] : this.#approvals
  }

  #isMet(): boolean {
    if (this.#formula.opaque.length > 0) return this.#isMetBy(this.#approvals)
    const lengths = this.#sumOf(this.#approvals)
    return lengths !== undefined && holds(this.#formula.root, lengths)
  }

  /** Elements that votes add to each list together. Undefined: with one of them the consensus has no value. */
  #sumOf(votes: readonly Approval[]): Lengths | undefined {
    const sum = this.#formula.lists.map(() => 0)
    for (const vote of votes) {
      const lengths = this.#groups.lengthsOf(vote)
      if (lengths === undefined) return undefined
      for (const [list, length] of lengths.entries()) sum[list]! += length
    }
    return sum
  }

  /**
   * Values of parts that read only votes cast: votes that follow do not change them. Undefined: one of them has none, so
   * the consensus never has a value.
   */
  #truthsOfPlaces(cast: readonly Approval[]): ReadonlyMap<OpaqueNode, Truth> | undefined {
    const truths = new Map<OpaqueNode, Truth>()
    const known = {
      approvers: cast.length,
      credentials: cast.reduce((count, { credentials }) => count + credentials.length, 0),
    }
    for (const node of this.#formula.opaque) {
      const { places } = node
      if (places === undefined || [...places].some(([root, count]) => count > known[root])) continue
      const value = this.#evaluate(node, cast)
      if (value === undefined) return undefined
      truths.set(node, value)
    }
    return truths
  }

  #possibleBeside(cast: readonly Approval[]): (readonly Approval[])[] {
    const voted = idsOf(cast)
    spend(this.#budget, this.#voters.users.length)
    const open = this.#voters.users.filter(({ userId }) => !voted.has(userId))
    return open.map((user) => this.#voters.votesOf(user)).filter((votes) => votes.length > 0)
  }

  #isMetBy(votes: readonly Approval[]): boolean {
    return this.#evaluate(this.#consensus, votes) === true
  }

  /** Undefined: it has no value. */
  #evaluate(expression: Pick<Compiled, "program">, votes: readonly Approval[]): boolean | undefined {
    // The lists that the expression reads are built again for each combination of votes.
    spend(this.#budget, votes.length)
    const evaluation = evaluate(expression, approvalFacts(votes), this.#budget)
    if ("value" in evaluation) return evaluation.value
    if (evaluation.fault.reason === "budget") throw new OutOfSteps()
    return undefined
  }

  #search(search: () => boolean): SearchResult {
    try {
      return search() ? "yes" : "no"
    } catch (error) {
      return undecidedOr(error)
    }
  }
}

function undecidedOr(error: unknown): "undecided" {
  if (error instanceof OutOfSteps) return "undecided"
  throw error
}

function idsOf(votes: readonly Pick<Approval, "user">[]): ReadonlySet<string> {
  return new Set(votes.map(({ user }) => user.userId))
}
