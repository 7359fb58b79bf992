import type { Organization } from "../../organization/organization.ts"
import { type Answer, type Ballot, contributes } from "./ballot.ts"
import { possibleVotes } from "./credentials.ts"
import { kindOf, yardstickOf } from "./kinds.ts"
import { type Budget, type Compiled, evaluate } from "../expression.ts"
import { approvalFacts } from "../facts/approvers.ts"
import type { Approval } from "./decision-input.ts"

/** Combinations of votes that are tried for one answer; real ones need a handful. */
const MAX_ATTEMPTS = 500

/** The votes that a consensus is asked about: those cast, and those that users can still cast. */
export type Electorate = {
  organization: Organization
  approvals: readonly Approval[]
}

/** Asks one consensus whose votes it counts. */
export class Consensus {
  readonly #consensus: Compiled
  readonly #electorate: Electorate
  readonly #budget: Budget
  readonly #kinds = new Map<Approval, string>()
  readonly #counted = new Map<string, boolean>()

  constructor(consensus: Compiled, electorate: Electorate, budget: Budget) {
    this.#consensus = consensus
    this.#electorate = electorate
    this.#budget = budget
  }

  /** Whether one of the votes that were cast contributes: others may still complete it. */
  isUnderWay(): Answer {
    const { approvals } = this.#electorate
    let answer: Answer = "no"
    for (const vote of approvals) {
      const one = this.#contributes(vote, approvals)
      if (one === "yes") return "yes"
      if (one === "undecided") answer = one
    }
    return answer
  }

  /** Whether one more vote would contribute. Of votes of one kind the first speaks for all. */
  counts(vote: Approval): boolean {
    if (this.#budget.left === 0) return false
    const kind = this.#kindOf(vote)
    const known = this.#counted.get(kind)
    if (known !== undefined) return known
    const counts = this.#contributes(vote, [...this.#electorate.approvals, vote]) === "yes"
    this.#counted.set(kind, counts)
    return counts
  }

  #contributes(vote: Approval, cast: readonly Approval[]): Answer {
    if (this.#budget.left === 0) return "undecided"
    const { organization } = this.#electorate
    const hasVoted = new Set(cast.map(({ user }) => user.userId))
    const others = organization.document.users.filter(({ userId }) => !hasVoted.has(userId))
    const ballot: Ballot<Approval> = {
      cast,
      open: others.map((user) => possibleVotes(user)),
      holds: (votes) => this.#holds(votes),
      kindOf: (one) => this.#kindOf(one),
      most: yardstickOf(this.#consensus).most,
      spend: (steps) => this.#spend(steps),
    }
    const answer = contributes(ballot, vote, MAX_ATTEMPTS)
    return answer === "no" && this.#budget.left === 0 ? "undecided" : answer
  }

  #holds(votes: readonly Approval[]): boolean {
    const answer = evaluate(this.#consensus, approvalFacts(votes), this.#budget)
    return "value" in answer && answer.value
  }

  #spend(steps: number): boolean {
    this.#budget.spend(steps)
    return this.#budget.left > 0
  }

  #kindOf(vote: Approval): string {
    const known = this.#kinds.get(vote)
    if (known !== undefined) return known
    const kind = kindOf(yardstickOf(this.#consensus), vote, this.#budget)
    this.#kinds.set(vote, kind)
    return kind
  }
}
