import { type Span, Stop } from "./fault.ts"
import { CHARACTERS_PER_STEP } from "./limits.ts"
import type { Value } from "./value.ts"

/** What one evaluation holds: values of roots and variables by number, and steps that are left. */
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
    if (this.left < 0) throw new Stop("budget", place, "the evaluation takes too many steps")
  }

  /** For work on each character of a text. */
  chargeText(characters: number, place: Span): void {
    this.charge(Math.floor(characters / CHARACTERS_PER_STEP), place)
  }
}
