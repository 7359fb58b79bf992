/** A map that forgets what was not used for longest once it holds `capacity` entries. */
export class Lru<Key, Value> {
  readonly #capacity: number
  readonly #entries = new Map<Key, Value>()
  /** What was used last: moving it to the end again would change nothing. */
  #newest: { key: Key; value: Value } | undefined

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    if (this.#newest?.key === key) return this.#newest.value
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#put(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#put(key, value)
    if (this.#entries.size <= this.#capacity) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(key: Key): void {
    this.#newest = undefined
    this.#entries.delete(key)
  }

  #put(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    this.#newest = { key, value }
  }
}
