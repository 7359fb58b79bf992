import { Outcome } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Consensus } from "./awaits.ts"
import type { Answer } from "./ballot.ts"
import { type CompiledPolicy, type CompiledExpression, policiesOf } from "./compiled.ts"
import { Budget, type Environment, evaluate } from "../expression.ts"
import { approvalFacts } from "../facts/approvers.ts"
import { timeFacts } from "../facts/time.ts"
import type { PolicyOutcome } from "./outcome.ts"
import type { Approval, DecisionInput } from "./decision-input.ts"

/** What one policy came to. `denies`: it stands against the activity, be it because it could not be evaluated. */
export type Verdict = PolicyOutcome & { readonly denies: boolean }

/**
 * What an expression came to.
 *
 * - "absent": it reads what the activity does not have
 * - "exhausted": it was given up, for it cost too much
 * - "error": anything else that cannot be evaluated
 */
type Truth = "true" | "false" | "absent" | "exhausted" | "error"

/** Steps for the votes that consensus waits for, of all policies together: a tenth of a second at most. */
const RECKONING_STEPS = 200_000

/**
 * Judges policies on one decision input. Each is judged by itself, and nothing is skipped because something else has
 * decided: all outcomes are told and kept. What it costs together is bounded.
 */
export class Court {
  readonly #input: DecisionInput
  readonly #budget = new Budget()
  /** For the votes that a consensus waits for: what they cost must not fall to policies that deny. */
  readonly #reckoning = new Budget(RECKONING_STEPS)
  readonly #approvals: Environment
  readonly #time: Environment
  #open: readonly Consensus[] | undefined

  constructor(input: DecisionInput) {
    this.#input = input
    this.#approvals = approvalFacts(input.approvals)
    this.#time = timeFacts(input.nowMs)
  }

  /** What every policy of the organization comes to on one part of the activity. */
  judge(facts: Environment): Verdict[] {
    const { policies } = policiesOf(this.#input.organization)
    return policies.map((policy) => this.#judge(policy, facts))
  }

  /** Whether some ALLOW that lacks nothing but votes counts this one more. */
  counts(vote: Approval): boolean {
    this.#open ??= policiesOf(this.#input.organization)
      .policies.filter((policy) => this.#isOpen(policy))
      .flatMap((policy) => this.#consensus(policy) ?? [])
    return this.#open.some((consensus) => consensus.counts(vote))
  }

  #judge(policy: CompiledPolicy, facts: Environment): Verdict {
    const { policyId, effect } = policy
    const time = this.#truth(policy.time, this.#time)
    if (time === "false") return { policyId, outcome: Outcome.TIME_INACTIVE, denies: false }
    const condition = this.#truth(policy.condition, facts)
    const consensus = this.#truth(policy.consensus, this.#approvals)
    const truths = [time, condition, consensus]
    if (truths.some(isFault)) {
      return { policyId, outcome: Outcome.ERROR, denies: effect === "deny" && this.#deniesByFault(truths) }
    }
    const applies = condition === "true" && consensus === "true"
    if (effect === "deny") {
      return { policyId, outcome: applies ? Outcome.DENY_EXPLICIT : Outcome.DENY_IMPLICIT, denies: applies }
    }
    if (applies) return { policyId, outcome: Outcome.ALLOW, denies: false }
    const underWay = condition === "true" ? this.#consensus(policy)?.isUnderWay() : undefined
    return { policyId, outcome: outcomeOfWaiting(underWay ?? "no"), denies: false }
  }

  #isOpen({ effect, time, condition }: CompiledPolicy): boolean {
    if (effect !== "allow" || this.#truth(time, this.#time) !== "true") return false
    return this.#input.facts.some((facts) => this.#truth(condition, facts) === "true")
  }

  #consensus({ consensus }: CompiledPolicy): Consensus | undefined {
    return typeof consensus === "string" ? undefined : new Consensus(consensus, this.#input, this.#reckoning)
  }

  #truth(expression: CompiledExpression, facts: Environment): Truth {
    if (expression === "absent") return "true"
    if (expression === "broken") return "error"
    const answer = evaluate(expression, facts, this.#budget)
    if ("value" in answer) return answer.value ? "true" : "false"
    switch (answer.fault.reason) {
      case "missing-root":
        return "absent"
      case "budget":
        return "exhausted"
      default:
        return "error"
    }
  }

  /**
   * A DENY that cannot be evaluated is passed over: many are written for one kind of activity and err on all others.
   * Not so where it was given up for its cost, which whoever makes the request could drive up; nor where the
   * organization wants it strict, and what it reads is there.
   */
  #deniesByFault(truths: readonly Truth[]): boolean {
    if (truths.includes("false")) return false
    if (truths.includes("exhausted")) return true
    return policiesOf(this.#input.organization).isStrict && !truths.includes("absent")
  }
}

function isFault(truth: Truth): boolean {
  return truth !== "true" && truth !== "false"
}

/** Whose votes a consensus waits for, and cannot be reckoned within bounds, waits for none: it is an error. */
function outcomeOfWaiting(underWay: Answer): Outcome {
  switch (underWay) {
    case "yes":
      return Outcome.REQUIRES_CONSENSUS
    case "no":
      return Outcome.DENY_IMPLICIT
    case "undecided":
      return Outcome.ERROR
    default:
      return underWay satisfies never
  }
}
