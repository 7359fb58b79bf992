/** Finished tasks kept before the list is cut. */
const CUT_AFTER = 1024

/** Monotonic milliseconds after which a turn ends, however few tasks it ran: some are a hundred times dearer than others. */
const TURN_MS = 4

/**
 * Runs queued tasks a few at a time, giving the loop back in between. Otherwise a burst on the socket is read
 * whole, signed whole and answered whole, while the API tier idles: both processes then run in lock-step.
 */
export class TurnQueue {
  /** Finished ones are let go at once: each holds a request. */
  #tasks: ((() => void) | undefined)[] = []
  readonly #perTurn: number
  readonly #max: number
  readonly #nowMs: () => number
  #head = 0
  #scheduled = false

  /** `max`: tasks that may wait. */
  constructor(perTurn: number, max: number, nowMs: () => number = () => performance.now()) {
    this.#perTurn = perTurn
    this.#max = max
    this.#nowMs = nowMs
  }

  /** False: too many wait, and this one is not taken. */
  push(task: () => void): boolean {
    if (this.waiting >= this.#max) return false
    this.#tasks.push(task)
    this.#schedule()
    return true
  }

  /** Tasks that wait for their turn. */
  get waiting(): number {
    return this.#tasks.length - this.#head
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#scheduled = false
    const endMs = this.#nowMs() + TURN_MS
    for (let ran = 0; ran < this.#perTurn && this.waiting > 0; ran++) {
      this.#runNext()
      if (this.#nowMs() >= endMs) break
    }
    if (this.#head === this.#tasks.length) this.#cut()
    else this.#schedule()
  }

  #runNext(): void {
    const task = this.#tasks[this.#head]
    this.#tasks[this.#head++] = undefined
    if (this.#head >= CUT_AFTER) this.#cut()
    task?.()
  }

  #cut(): void {
    this.#tasks = this.#tasks.slice(this.#head)
    this.#head = 0
  }
}
