import { EvaluationStop, type Span } from "./fault.ts"
import { CHARACTERS_PER_STEP, MAX_STEPS_PER_REQUEST } from "./limits.ts"
import type { Value } from "./value.ts"

/** Steps left to all evaluations of one request. */
export class Budget {
  left: number

  constructor(steps = MAX_STEPS_PER_REQUEST) {
    this.left = steps
  }

  spend(steps: number): void {
    this.left = Math.max(0, this.left - steps)
  }
}

/** The state of one evaluation: values of roots and variables by number, and steps left. */
export class Frame {
  readonly roots: readonly (Value | undefined)[]
  readonly variables: Value[] = []
  left: number

  constructor(roots: readonly (Value | undefined)[], steps: number) {
    this.roots = roots
    this.left = steps
  }

  charge(steps: number, place: Span): void {
    this.left -= steps
    if (this.left < 0) throw new EvaluationStop("budget", place, "the evaluation takes too many steps")
  }

  /** Charges work on each character of a text. */
  chargeText(characters: number, place: Span): void {
    this.charge(Math.floor(characters / CHARACTERS_PER_STEP), place)
  }

  /** Charges folding the case of a text, which takes twice as long as comparing it. */
  chargeFold(characters: number, place: Span): void {
    this.chargeText(2 * characters, place)
  }
}
