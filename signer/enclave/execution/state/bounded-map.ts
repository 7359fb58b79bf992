/**
 * A map that forgets what was put first once it is full. Reads cost nothing beyond the look-up, unlike those of a
 * list in order of use; what is forgotten is only read again.
 */
export class BoundedMap<V> {
  readonly #entries = new Map<string, V>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: V): void {
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#max) return
    const [oldest] = this.#entries.keys()
    this.#entries.delete(oldest!)
  }
}
