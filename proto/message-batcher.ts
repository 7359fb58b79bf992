/** Largest number of items and bytes of one message. */
export type MessageBounds = { items: number; bytes: number }

/**
 * Gathers the items of one turn of the event loop into one message: a message costs both sides about as much as its
 * items. A message is sent when the running callback and its promises have ended, or as soon as it is full. While the
 * other side still has work, the items of one turn wait for one more turn, and never longer.
 *
 * Uses process.nextTick, not setImmediate: Node writes the frames of an HTTP/2 session when the next phase of immediates
 * begins. A message that is sent in such a phase leaves after all sockets were read once. With setImmediate here it
 * would leave after they were read twice.
 */
export class MessageBatcher<Item> {
  readonly #send: (items: Item[]) => void
  readonly #bounds: MessageBounds
  readonly #mayWait: () => boolean
  #items: Item[] = []
  #bytes = 0
  #isScheduled = false
  #hasWaited = false

  /**
   * `send` gets at least one item and must not throw. `mayWait` is called at the end of a turn. It says whether more
   * items will come soon and the other side still has work.
   */
  constructor(send: (items: Item[]) => void, bounds: MessageBounds, mayWait: () => boolean = () => false) {
    this.#send = send
    this.#bounds = bounds
    this.#mayWait = mayWait
  }

  /** `bytes`: the item's size, at most. An item that fills a message by itself is sent at once. */
  put(item: Item, bytes: number): void {
    if (this.#bytes + bytes > this.#bounds.bytes) this.flush()
    this.#items.push(item)
    this.#bytes += bytes
    if (this.#items.length >= this.#bounds.items || this.#bytes >= this.#bounds.bytes) this.flush()
    else this.#schedule()
  }

  /** Sends the gathered items now. */
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
    // Runs after the turn that follows, which was scheduled before.
    setImmediate(this.#endTurn)
  }
}
