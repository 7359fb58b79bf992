import { type DecisionInput, newBudgets } from "../../signer/core/policy/decision/decision-input.ts"
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
    const budgets = newBudgets()
    const conditions = input.facts.budget.left
    const result = decision({ ...input, budgets })
    this.#left -= conditions - input.facts.budget.left
    this.#left -= MAX_APPROVAL_STEPS - budgets.approvals.left
    this.#left -= MAX_SEARCH_STEPS - budgets.searches.left
    if (this.#left >= 0) return result
    const sentence = `the simulation takes more than ${MAX_SIMULATION_STEPS} steps: simulate fewer approvers, payloads or policies`
    throw refuse("SIMULATION_TOO_COSTLY", sentence)
  }
}
