/** Finished tasks are dropped from the list once there are this many. */
const TRIM_AFTER = 1024

/** A turn ends after this many monotonic milliseconds, however few tasks it ran: one task may cost a hundred others. */
const TURN_MS = 4

/**
 * Runs queued tasks a few at a time and lets the event loop run in between. Otherwise one round of the loop reads a
 * burst whole, works on all of it and only then answers, while the process on the other side idles: both tiers
 * would run in lock-step. A lone task waits for one setImmediate.
 */
export class TurnQueue {
  /** A finished task is undefined at once: a task holds its request. */
  #tasks: ((() => void) | undefined)[] = []
  readonly #perTurn: number
  readonly #max: number
  readonly #nowMs: () => number
  #head = 0
  #scheduled = false

  /** `max`: tasks that may wait. */
  constructor(
    perTurn: number,
    max = Number.POSITIVE_INFINITY,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#perTurn = perTurn
    this.#max = max
    this.#nowMs = nowMs
  }

  /** Returns false, and does not take the task, when the queue is full. */
  push(task: () => void): boolean {
    if (this.waiting >= this.#max) return false
    this.#tasks.push(task)
    this.#schedule()
    return true
  }

  /** Resolves in the caller's turn, in a queue without bound. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.push(resolve))
  }

  /** Number of tasks that wait. */
  get waiting(): number {
    return this.#tasks.length - this.#head
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#runTurn)
  }

  readonly #runTurn = (): void => {
    this.#scheduled = false
    const endMs = this.#nowMs() + TURN_MS
    for (let ran = 0; ran < this.#perTurn && this.waiting > 0; ran++) {
      this.#runNext()
      if (this.#nowMs() >= endMs) break
    }
    if (this.#head === this.#tasks.length) this.#trim()
    else this.#schedule()
  }

  #runNext(): void {
    const task = this.#tasks[this.#head]
    this.#tasks[this.#head++] = undefined
    if (this.#head >= TRIM_AFTER) this.#trim()
    task?.()
  }

  #trim(): void {
    this.#tasks = this.#tasks.slice(this.#head)
    this.#head = 0
  }
}
