import { Fifo } from "../../../signer/core/turns/fifo.ts"

/** An organization counts as active for this long after its latest request came, monotonic milliseconds. */
const ACTIVE_MS = 1_000

/** An owner's latest request. */
type Active = { owner: string; atMs: number }

/**
 * Work of one kind; each kind has its own bound. `weight`: at most the limit. `heldMs`: a request counts for this long at
 * most; one that takes longer is taken to wait for something else.
 */
export type Work = { kind: string; weight: number; heldMs: number }

type Waiting = { weight: number; start: () => void }

/** A weighted semaphore: `weight` is acquired, `waiting` are served in their order. */
type Semaphore = {
  readonly name: string
  readonly owner: string
  weight: number
  readonly waiting: Fifo<Waiting>
}

/**
 * Bounds the requests of one owner that are worked on at a time, while another owner is active. All requests share the
 * queues of the signer, the database and the replies. A request waits in them for every request that began earlier. While
 * no other owner is active, an owner has no bound: batches need many requests.
 */
export class ConcurrencyLimit {
  readonly #limit: number
  readonly #nowMs: () => number
  readonly #semaphores = new Map<string, Semaphore>()
  /** The latest request. With `#previous` it shows whether any owner but a given one is active. */
  #latest: Active = { owner: "", atMs: Number.NEGATIVE_INFINITY }
  /** The latest request of any owner but that of `#latest`. */
  #previous: Active = this.#latest
  #waiting = 0

  /** `limit`: weight of the requests of one owner and kind. `nowMs`: monotonic. */
  constructor(limit: number, { nowMs = () => performance.now() } = {}) {
    this.#limit = limit
    this.#nowMs = nowMs
  }

  /**
   * Handles a request of an owner, who is active then, as soon as there is room for it.
   * @param pauseMs how long its room stays taken after a result: the owner is slowed to a rate
   */
  async run<T>(
    owner: string,
    { kind, weight, heldMs }: Work,
    handle: () => Promise<T>,
    pauseMs: (result: T, tookMs: number) => number = () => 0,
  ): Promise<T> {
    this.#note(owner)
    const semaphore = this.#semaphoreOf(owner, kind)
    await this.#acquire(semaphore, weight)
    let isHeld = true
    const release = () => {
      if (isHeld) this.#release(semaphore, weight)
      isHeld = false
    }
    const timer = setTimeout(release, heldMs).unref()
    try {
      const beganMs = this.#nowMs()
      const result = await handle()
      const restMs = pauseMs(result, this.#nowMs() - beganMs)
      if (restMs > 0) setTimeout(release, restMs).unref()
      else release()
      return result
    } catch (error) {
      release()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Requests that wait, of all owners. */
  get waiting(): number {
    return this.#waiting
  }

  #note(owner: string): void {
    if (owner !== this.#latest.owner) {
      this.#previous = this.#latest
      this.#latest = { owner, atMs: 0 }
    }
    this.#latest.atMs = this.#nowMs()
  }

  #semaphoreOf(owner: string, kind: string): Semaphore {
    const name = `${owner} ${kind}`
    const known = this.#semaphores.get(name)
    if (known !== undefined) return known
    const semaphore = { name, owner, weight: 0, waiting: new Fifo<Waiting>() }
    this.#semaphores.set(name, semaphore)
    return semaphore
  }

  #acquire(semaphore: Semaphore, weight: number): Promise<void> | undefined {
    if (semaphore.waiting.length === 0 && this.#hasRoom(semaphore, weight)) {
      semaphore.weight += weight
      return undefined
    }
    this.#waiting += 1
    return new Promise((start) => semaphore.waiting.push({ weight, start }))
  }

  #release(semaphore: Semaphore, weight: number): void {
    semaphore.weight -= weight
    for (;;) {
      const next = semaphore.waiting.peek()
      if (next === undefined || !this.#hasRoom(semaphore, next.weight)) break
      semaphore.waiting.shift()
      semaphore.weight += next.weight
      this.#waiting -= 1
      next.start()
    }
    if (semaphore.weight === 0) this.#semaphores.delete(semaphore.name)
  }

  #hasRoom({ owner, weight: held }: Semaphore, weight: number): boolean {
    return held + weight <= this.#limit || !this.#hasNeighbour(owner)
  }

  #hasNeighbour(owner: string): boolean {
    const { atMs } = this.#latest.owner === owner ? this.#previous : this.#latest
    return this.#nowMs() - atMs < ACTIVE_MS
  }
}
