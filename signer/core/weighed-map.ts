/**
 * A map that forgets what was put first once all that it holds weighs more than it may. What is forgotten is only made
 * again.
 */
export class WeighedMap<Key, Value> {
  readonly #entries = new Map<Key, { value: Value; weight: number }>()
  readonly #most: number
  #weight = 0

  constructor(most: number) {
    this.#most = most
  }

  get weight(): number {
    return this.#weight
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: Key, value: Value, weight: number): void {
    this.#forget(key)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#most) return
      this.#forget(oldest)
    }
  }

  #forget(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
