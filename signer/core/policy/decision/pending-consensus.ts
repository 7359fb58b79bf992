import { type Budget, type Compiled, evaluate } from "../expression.ts"
import { approvalFacts } from "../facts/approvals.ts"
import { classesOf, classOf } from "./consensus-classes.ts"
import { canContribute, type SearchResult } from "./consensus-search.ts"
import { possibleVotes } from "./credentials.ts"
import type { Approval, DecisionInput } from "./decision-input.ts"

/** Combinations of votes tried for one search; real policies need a handful. */
const MAX_ATTEMPTS = 500

/** A consensus, and the votes it is evaluated on: those cast, and those that users can still cast. */
export class PendingConsensus {
  readonly #consensus: Compiled
  readonly #input: Pick<DecisionInput, "organization" | "approvals">
  readonly #budget: Budget
  readonly #classes = new Map<Approval, string>()
  readonly #contributions = new Map<string, boolean>()

  constructor(consensus: Compiled, input: Pick<DecisionInput, "organization" | "approvals">, budget: Budget) {
    this.#consensus = consensus
    this.#input = input
    this.#budget = budget
  }

  /** Whether one of the votes cast contributes: other votes may still complete the consensus. */
  hasContributingVote(): SearchResult {
    const { approvals } = this.#input
    let result: SearchResult = "no"
    for (const vote of approvals) {
      const one = this.#search(vote, approvals)
      if (one === "yes") return "yes"
      if (one === "undecided") result = one
    }
    return result
  }

  /** Whether one more vote would contribute. The result is the same for all votes of one class. */
  wouldContribute(vote: Approval): boolean {
    if (this.#budget.left === 0) return false
    const name = this.#classOf(vote)
    const known = this.#contributions.get(name)
    if (known !== undefined) return known
    const contributes = this.#search(vote, [...this.#input.approvals, vote]) === "yes"
    this.#contributions.set(name, contributes)
    return contributes
  }

  #search(vote: Approval, cast: readonly Approval[]): SearchResult {
    if (this.#budget.left === 0) return "undecided"
    const hasVoted = new Set(cast.map(({ user }) => user.userId))
    const others = this.#input.organization.document.users.filter(({ userId }) => !hasVoted.has(userId))
    const search = {
      cast,
      possible: others.map((user) => possibleVotes(user)),
      isMetBy: (votes: readonly Approval[]) => this.#isMetBy(votes),
      classOf: (one: Approval) => this.#classOf(one),
      maxPerClass: classesOf(this.#consensus).maxPerClass,
      spend: (steps: number) => this.#spend(steps),
    }
    const result = canContribute(search, vote, MAX_ATTEMPTS)
    return result === "no" && this.#budget.left === 0 ? "undecided" : result
  }

  #isMetBy(votes: readonly Approval[]): boolean {
    const evaluation = evaluate(this.#consensus, approvalFacts(votes), this.#budget)
    return "value" in evaluation && evaluation.value
  }

  #spend(steps: number): boolean {
    this.#budget.spend(steps)
    return this.#budget.left > 0
  }

  #classOf(vote: Approval): string {
    const known = this.#classes.get(vote)
    if (known !== undefined) return known
    const name = classOf(classesOf(this.#consensus), vote, this.#budget)
    this.#classes.set(vote, name)
    return name
  }
}
