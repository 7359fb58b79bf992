/** Places that were taken are dropped from the list once there are this many. */
const TRIM_AFTER = 1024

/** A first-in, first-out queue. Taking an item is cheap however many wait. */
export class Fifo<T> {
  /** A taken item is undefined at once: it may hold a request. */
  #items: (T | undefined)[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The first item, which stays. */
  peek(): T | undefined {
    return this.#items[this.#head]
  }

  /** Takes the first item. */
  shift(): T | undefined {
    if (this.length === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.length === 0 || this.#head >= TRIM_AFTER) this.#trim()
    return item
  }

  #trim(): void {
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}
