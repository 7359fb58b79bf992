/** How much one message holds. */
export type OutboxBounds = { items: number; bytes: number }

/**
 * Puts what one turn of the event loop has to say into one message: a message costs both sides about as much as
 * what it says. What promises put in goes out once all of the running callback's are through, or as soon as a message is
 * full; a lone item waits for nothing. While the other side has enough to do, what one turn says waits for one more, and
 * never longer.
 *
 * By process.nextTick, not by setImmediate: Node writes the frames of an HTTP/2 session to its socket when the next phase
 * of immediates begins. What is handed over in such a phase leaves only after all sockets have been read once; an
 * immediate of its own would make that twice, while the other side idles.
 */
export class Outbox<Item> {
  readonly #send: (items: Item[]) => void
  readonly #bounds: OutboxBounds
  readonly #mayWait: () => boolean
  #items: Item[] = []
  #bytes = 0
  #isScheduled = false
  #hasWaited = false

  /**
   * `send` gets at least one item, and does not throw. `mayWait` is asked at the end of a turn: whether more is about to
   * come, and nobody idles for what is there.
   */
  constructor(send: (items: Item[]) => void, bounds: OutboxBounds, mayWait: () => boolean = () => false) {
    this.#send = send
    this.#bounds = bounds
    this.#mayWait = mayWait
  }

  /** `bytes`: its size, at most. What fills a message by itself leaves at once. */
  put(item: Item, bytes: number): void {
    if (this.#bytes + bytes > this.#bounds.bytes) this.flush()
    this.#items.push(item)
    this.#bytes += bytes
    if (this.#items.length >= this.#bounds.items || this.#bytes >= this.#bounds.bytes) this.flush()
    else this.#schedule()
  }

  /** Sends now. */
  flush(): void {
    this.#hasWaited = false
    if (this.#items.length === 0) return
    const items = this.#items
    this.#items = []
    this.#bytes = 0
    this.#send(items)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    process.nextTick(this.#endTurn)
  }

  readonly #endTurn = (): void => {
    this.#isScheduled = false
    if (this.#items.length === 0 || this.#hasWaited || !this.#mayWait()) return this.flush()
    this.#hasWaited = true
    this.#isScheduled = true
    // Behind the turn that follows, which was scheduled before this.
    setImmediate(this.#endTurn)
  }
}
