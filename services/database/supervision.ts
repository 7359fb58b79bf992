/** Pauses between passes: while processes work on the queues, and otherwise. */
const BUSY_MS = 5_000
const IDLE_MS = 60_000

/** Time after the last signal of work for which passes are frequent. The jobs of a process that crashed expire earlier. */
const WORKED_MS = 60_000

/**
 * Passes over the queues, which return the jobs of processes that crashed and delete old ones. One pass is a dozen statements, so they
 * are seldom while nothing is signalled.
 */
export class Supervision {
  readonly #pass: () => Promise<void>
  readonly #now: () => number
  #signalledMs: number
  #passedMs: number
  #running: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param pass never rejects */
  constructor(pass: () => Promise<void>, now: () => number = () => performance.now()) {
    this.#pass = pass
    this.#now = now
    this.#signalledMs = now()
    this.#passedMs = now()
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.passIfDue(), BUSY_MS).unref()
  }

  /** Notes that some process works on a queue. */
  signal(): void {
    this.#signalledMs = this.#now()
  }

  /** Begins a pass if one is due and none runs. */
  async passIfDue(): Promise<void> {
    const now = this.#now()
    const isDue = now - this.#signalledMs < WORKED_MS || now - this.#passedMs >= IDLE_MS
    if (!isDue || this.#running !== undefined) return
    this.#passedMs = now
    this.#running = this.#pass()
    await this.#running
    this.#running = undefined
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }
}
