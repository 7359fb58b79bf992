type Entry<V> = { value: V; weight: number }

/**
 * A map that lets go of what was not used for longest, up to a total weight, in two generations: what is used
 * moves to the young one; when that holds half the capacity, it becomes the old one, and the former old one is
 * let go. An exact order of use would cost a deletion at each read, and V8's Map is slow at those (10 µs at
 * 7,000 entries, against 0.2 µs here).
 */
export class RecentlyUsed<V> {
  readonly #half: number
  #young = new Map<string, Entry<V>>()
  #old = new Map<string, Entry<V>>()
  #youngWeight = 0

  constructor(capacity: number) {
    this.#half = capacity / 2
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young.value
    const old = this.#old.get(key)
    if (old === undefined) return undefined
    this.set(key, old.value, old.weight)
    return old.value
  }

  /** What weighs more than half the capacity is not kept. An older value of the key is never seen again. */
  set(key: string, value: V, weight = 1): void {
    if (weight > this.#half) {
      this.delete(key)
      return
    }
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0
    this.#young.set(key, { value, weight })
    this.#youngWeight += weight
    if (this.#youngWeight > this.#half) this.#age(key, { value, weight })
  }

  delete(key: string): void {
    this.#youngWeight -= this.#young.get(key)?.weight ?? 0
    this.#young.delete(key)
    this.#old.delete(key)
  }

  get size(): number {
    return this.#young.size + [...this.#old.keys()].filter((key) => !this.#young.has(key)).length
  }

  /** The entry that did not fit begins the new generation. */
  #age(key: string, entry: Entry<V>): void {
    this.#young.delete(key)
    this.#old = this.#young
    this.#young = new Map([[key, entry]])
    this.#youngWeight = entry.weight
  }
}
