type Link = { older: Link; younger: Link }
type Entry<Key, Value> = Link & { key: Key; value: Value; weight: number }

/**
 * A cache that drops what was not used for longest, up to a total weight. The order of use is a ring of links: a read
 * only relinks its entry. Reinserting it into the Map would leave a gap, and V8 passes all gaps to find the oldest key.
 */
export class RecentlyUsed<Key, Value> {
  readonly #capacity: number
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  /** Its `older` is the youngest entry, its `younger` the oldest. */
  readonly #ends = {} as Link
  #weight = 0

  constructor(capacity: number) {
    this.#capacity = capacity
    this.#ends.older = this.#ends
    this.#ends.younger = this.#ends
  }

  /** Number of entries. */
  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (this.#ends.older !== entry) {
      unlink(entry)
      this.#makeYoungest(entry)
    }
    return entry.value
  }

  /** An entry of more than the capacity is not kept. An older value of the key is never returned again. */
  set(key: Key, value: Value, weight = 1): void {
    this.delete(key)
    if (weight > this.#capacity) return
    const entry = { key, value, weight, older: this.#ends, younger: this.#ends }
    this.#entries.set(key, entry)
    this.#makeYoungest(entry)
    this.#weight += weight
    while (this.#weight > this.#capacity) this.delete((this.#ends.younger as Entry<Key, Value>).key)
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
    unlink(entry)
  }

  #makeYoungest(entry: Link): void {
    entry.younger = this.#ends
    entry.older = this.#ends.older
    entry.older.younger = entry
    this.#ends.older = entry
  }
}

function unlink({ older, younger }: Link): void {
  older.younger = younger
  younger.older = older
}
