import { type DecisionInput, newBudgets } from "../../signer/core/policy/decision/decision-input.ts"
import { runAtOnce, type Steps } from "../../signer/core/turns/steps.ts"
import { MAX_APPROVAL_STEPS, MAX_SEARCH_STEPS } from "../../signer/core/policy/language/limits.ts"
import { refuse } from "../../signer/core/refusal.ts"

/**
 * Steps of one simulation: all conditions and two decisions at their limits. A real vote is one order, but a simulation
 * decides again after each of many approvals.
 */
const MAX_SIMULATION_STEPS = 1_000_000

/** Counts the steps of the decisions of one simulation. Each decision has the limits that it has in the signer. */
export class SimulationCost {
  #left = MAX_SIMULATION_STEPS

  /** @throws SIMULATION_TOO_COSTLY */
  run<Result>(input: DecisionInput, decision: (input: DecisionInput) => Result): Result {
    return runAtOnce(this.runInSteps(input, (asked) => inOneStep(() => decision(asked))))
  }

  /** @throws SIMULATION_TOO_COSTLY */
  *runInSteps<Result>(
    input: DecisionInput,
    decision: (input: DecisionInput) => Steps<Result>,
  ): Steps<Result> {
    const budgets = newBudgets()
    const { budget } = input.facts.policies
    const conditions = budget.left
    const result = yield* decision({ ...input, budgets })
    this.#left -= conditions - budget.left
    this.#left -= MAX_APPROVAL_STEPS - budgets.approvals.left
    this.#left -= MAX_SEARCH_STEPS - budgets.searches.left
    if (this.#left >= 0) return result
    const sentence = `the simulation takes more than ${MAX_SIMULATION_STEPS} steps: simulate fewer approvers, payloads or policies`
    throw refuse("SIMULATION_TOO_COSTLY", sentence)
  }
}

// oxlint-disable-next-line require-yield -- one step: nothing comes between
function* inOneStep<Result>(decide: () => Result): Steps<Result> {
  return decide()
}
