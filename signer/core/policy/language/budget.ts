import { MAX_STEPS_PER_REQUEST } from "./limits.ts"

/** Steps that are left to all evaluations of one request. */
export class Budget {
  #left: number

  constructor(steps = MAX_STEPS_PER_REQUEST) {
    this.#left = steps
  }

  get left(): number {
    return this.#left
  }

  spend(steps: number): void {
    this.#left = Math.max(0, this.#left - steps)
  }
}
