import { Budget, type Compiled, type Evaluation, evaluate, type RootReader } from "../expression.ts"

/**
 * Facts of one request, with one reader for each item of a batch, and the values of conditions on them. A condition is
 * evaluated once for each item, however many decisions and votes ask for it, and all of them share one budget.
 */
export class RequestFacts {
  readonly items: readonly RootReader[]
  readonly budget: Budget
  readonly #evaluations = new Map<Compiled, Evaluation[]>()

  constructor(items: readonly RootReader[], budget = new Budget()) {
    this.items = items
    this.budget = budget
  }

  evaluate(condition: Compiled, item: number): Evaluation {
    const known = this.#evaluations.get(condition)?.[item]
    if (known !== undefined) return known
    const evaluation = evaluate(condition, this.reader(item), this.budget)
    const evaluations = this.#evaluations.get(condition) ?? []
    evaluations[item] = evaluation
    this.#evaluations.set(condition, evaluations)
    return evaluation
  }

  reader(item: number): RootReader {
    return this.items[item] ?? (() => undefined)
  }
}
