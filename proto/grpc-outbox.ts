/** How much one message holds. */
export type OutboxBounds = { items: number; bytes: number }

/**
 * Puts what one turn of the event loop has to say into one message: a message costs both sides about as much as
 * what it says. What is put in goes out at the end of the turn, or as soon as a message is full; a lone item
 * waits for nothing.
 */
export class Outbox<Item> {
  readonly #send: (items: Item[]) => void
  readonly #bounds: OutboxBounds
  #items: Item[] = []
  #bytes = 0
  #isScheduled = false

  /** `send` gets at least one item, and does not throw. */
  constructor(send: (items: Item[]) => void, bounds: OutboxBounds) {
    this.#send = send
    this.#bounds = bounds
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
    if (this.#items.length === 0) return
    const items = this.#items
    this.#items = []
    this.#bytes = 0
    this.#send(items)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(this.#endTurn)
  }

  readonly #endTurn = (): void => {
    this.#isScheduled = false
    this.flush()
  }
}
