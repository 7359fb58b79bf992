/**
 * A value that can be let go. A KeyObject cannot be overwritten; OpenSSL clears its copy when the last
 * reference is collected, so a wiped key gives up its reference and refuses to go on.
 */
export class Held<T> {
  #value: T | undefined

  constructor(value: T) {
    this.#value = value
  }

  /** @throws {Error} once dropped. */
  get(): T {
    if (this.#value === undefined) throw new Error("a key was used after it was wiped")
    return this.#value
  }

  drop(): void {
    this.#value = undefined
  }
}
