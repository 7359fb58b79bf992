import { Fifo } from "../../../signer/core/turns/fifo.ts"

/** An organization counts as active for this long after its latest request came, monotonic milliseconds. */
const ACTIVE_MS = 1_000

/** An owner's latest request. */
type Active = { owner: string; atMs: number }

/** A weighted semaphore: `weight` is acquired, `waiting` are served in their order. */
type Semaphore = { weight: number; readonly waiting: Fifo<{ weight: number; start: () => void }> }

/**
 * Bounds the requests of one owner that are worked on at a time, while another owner is active. Behind their turn all
 * requests pass the same queues, of the signer, the database and the replies: a request waits there for all that began
 * before it. An owner without active neighbours has no bound: batches need many requests.
 */
export class ConcurrencyLimit {
  readonly #limit: number
  readonly #nowMs: () => number
  readonly #semaphores = new Map<string, Semaphore>()
  /** With the one before, enough to know of any owner whether another is active. */
  #latest: Active = { owner: "", atMs: Number.NEGATIVE_INFINITY }
  /** The latest of another owner than `#latest`. */
  #previous: Active = this.#latest
  #waiting = 0

  /** `limit`: weight of the requests of one owner. */
  constructor(limit: number, nowMs: () => number = () => performance.now()) {
    this.#limit = limit
    this.#nowMs = nowMs
  }

  /** Notes that an owner is active: others are bounded now. */
  note(owner: string): void {
    if (owner !== this.#latest.owner) {
      this.#previous = this.#latest
      this.#latest = { owner, atMs: 0 }
    }
    this.#latest.atMs = this.#nowMs()
  }

  /** Resolves when a request of this weight may begin. `weight`: at most the limit. To be followed by `release`. */
  acquire(owner: string, weight: number): Promise<void> | undefined {
    const semaphore = this.#semaphores.get(owner) ?? { weight: 0, waiting: new Fifo() }
    this.#semaphores.set(owner, semaphore)
    if (semaphore.waiting.length === 0 && this.#hasRoom(owner, semaphore, weight)) {
      semaphore.weight += weight
      return undefined
    }
    this.#waiting += 1
    return new Promise((start) => semaphore.waiting.push({ weight, start }))
  }

  release(owner: string, weight: number): void {
    const semaphore = this.#semaphores.get(owner)
    if (semaphore === undefined) return
    semaphore.weight -= weight
    for (;;) {
      const next = semaphore.waiting.peek()
      if (next === undefined || !this.#hasRoom(owner, semaphore, next.weight)) break
      semaphore.waiting.shift()
      semaphore.weight += next.weight
      this.#waiting -= 1
      next.start()
    }
    if (semaphore.weight === 0) this.#semaphores.delete(owner)
  }

  /** Requests that wait, of all owners. */
  get waiting(): number {
    return this.#waiting
  }

  #hasRoom(owner: string, semaphore: Semaphore, weight: number): boolean {
    return semaphore.weight + weight <= this.#limit || !this.#hasNeighbour(owner)
  }

  #hasNeighbour(owner: string): boolean {
    const { atMs } = this.#latest.owner === owner ? this.#previous : this.#latest
    return this.#nowMs() - atMs < ACTIVE_MS
  }
}
