import { refuse } from "../refusal.ts"

/** Longest time that a request takes through both tiers, milliseconds. */
export const MAX_REQUEST_MS = 10_000

/** The time by which an order must have begun to run. */
export class Deadline {
  readonly #endMs: number
  readonly #nowMs: () => number

  /** @param timeoutMs time that is left; 0, or more than MAX_REQUEST_MS: MAX_REQUEST_MS @param nowMs monotonic */
  constructor(timeoutMs: number, nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#endMs = nowMs() + (timeoutMs === 0 ? MAX_REQUEST_MS : Math.min(timeoutMs, MAX_REQUEST_MS))
  }

  /** Time that is left, whole milliseconds; 0 when there is none. */
  get leftMs(): number {
    return Math.max(Math.floor(this.#endMs - this.#nowMs()), 0)
  }

  /** @throws DEADLINE_EXCEEDED */
  require(): void {
    if (this.leftMs > 0) return
    throw refuse("DEADLINE_EXCEEDED", "the request waited too long and was not run; send the same body again")
  }
}
