import { runAtOnce, type Steps } from "../../turns/steps.ts"
import { Budget, type Compiled, type Evaluation, evaluate, type RootReader } from "../expression.ts"
import { inFairShares } from "../fair-shares.ts"

/** Facts of one request, with one reader for each item of a batch, and the values of conditions on them. */
export class RequestFacts {
  readonly items: readonly RootReader[]
  /** Values of the policies' conditions. */
  readonly policies: ConditionValues
  /** Values of the conditions of users' MFA policies, whose steps cost no policy any. */
  readonly mfa: ConditionValues

  constructor(items: readonly RootReader[], budget = new Budget(), mfaBudget = new Budget()) {
    this.items = items
    this.policies = new ConditionValues(items, budget)
    this.mfa = new ConditionValues(items, mfaBudget)
  }

  reader(item: number): RootReader {
    return this.items[item] ?? (() => undefined)
  }
}

/** A condition is evaluated once for each item, however many decisions and votes ask for it. All share one budget. */
class ConditionValues {
  readonly budget: Budget
  readonly #items: readonly RootReader[]
  readonly #known = new Map<Compiled, Evaluation[]>()

  constructor(items: readonly RootReader[], budget: Budget) {
    this.#items = items
    this.budget = budget
  }

  /**
   * Evaluates conditions on all items, in fair shares of the budget. A condition that was evaluated before keeps its values.
   * @throws TRANSACTION_INVALID each time a condition reads a value that cannot be read
   */
  *evaluateAll(conditions: Iterable<Compiled>): Steps<void> {
    const unknown = [...new Set(conditions)].filter((condition) => !this.#known.has(condition))
    const tasks = unknown.flatMap((condition) =>
      this.#items.map((reader, item) => ({ condition, reader, item })),
    )
    for (const condition of unknown) this.#known.set(condition, [])
    const run = ({ condition, reader, item }: (typeof tasks)[number], share: Budget) => {
      const evaluation = evaluate(condition, reader, share)
      this.#known.get(condition)![item] = evaluation
      return "value" in evaluation || evaluation.fault.reason !== "budget"
    }
    try {
      yield* inFairShares(tasks, this.budget, run)
    } catch (refusal) {
      for (const condition of unknown) this.#known.delete(condition)
      throw refusal
    }
  }

  /** A condition that is not evaluated yet is evaluated with the steps that are left. */
  evaluate(condition: Compiled, item: number): Evaluation {
    if (!this.#known.has(condition)) runAtOnce(this.evaluateAll([condition]))
    // One step is too few for any evaluation.
    return this.#known.get(condition)?.[item] ?? evaluate(condition, () => undefined, new Budget(1))
  }
}
