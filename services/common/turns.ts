/** How much is handled before other sockets get their turn: about a millisecond. */
const ITEMS_PER_TURN = 8

/**
 * Hands out turns, a few per round of the event loop. Without it one round reads every socket, does all the
 * cryptography and only then writes anything, so that this process and the signer work in lock-step, each
 * idle while the other is busy. A lone caller waits for one setImmediate.
 */
export class Turns {
  #waiting: (() => void)[] = []
  #next = 0
  #scheduled = false

  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#scheduled) return
      this.#scheduled = true
      setImmediate(this.#round)
    })
  }

  readonly #round = (): void => {
    for (let given = 0; given < ITEMS_PER_TURN; given++) {
      const resolve = this.#waiting[this.#next]
      if (resolve === undefined) break
      this.#next++
      resolve()
    }
    if (this.#next < this.#waiting.length) {
      setImmediate(this.#round)
      return
    }
    this.#waiting = []
    this.#next = 0
    this.#scheduled = false
  }
}
