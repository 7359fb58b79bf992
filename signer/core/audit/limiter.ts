/** Admits a number of events in each span of time, and counts the others. Time is monotonic and handed in. */
export class EventLimiter {
  readonly #most: number
  readonly #spanMs: number
  #sinceMs = Number.NEGATIVE_INFINITY
  #admitted = 0
  #omitted = 0

  constructor(most: number, spanMs: number) {
    this.#most = most
    this.#spanMs = spanMs
  }

  /** True if the event is admitted. Take the omitted ones first. */
  admits(nowMs: number): boolean {
    if (nowMs - this.#sinceMs >= this.#spanMs) {
      this.#sinceMs = nowMs
      this.#admitted = 0
    }
    if (this.#admitted >= this.#most) {
      this.#omitted += 1
      return false
    }
    this.#admitted += 1
    return true
  }

  /** The number of events that were not admitted in a span that is over, once; 0: none. */
  takeOmitted(nowMs: number): number {
    return nowMs - this.#sinceMs >= this.#spanMs ? this.takeAll() : 0
  }

  /** The number of all events that were not admitted. */
  takeAll(): number {
    const omitted = this.#omitted
    this.#omitted = 0
    return omitted
  }
}
