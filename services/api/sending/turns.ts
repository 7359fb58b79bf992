/** Serializes work by key within this process, in the order in which it was asked for. */
export class KeyedTurns {
  readonly #last = new Map<string, Promise<void>>()

  /** Resolves when it is this caller's turn, with the function that ends it. */
  async wait(key: string): Promise<() => void> {
    const before = this.#last.get(key)
    const { promise: turn, resolve } = Promise.withResolvers<void>()
    this.#last.set(key, turn)
    await before
    return () => {
      if (this.#last.get(key) === turn) this.#last.delete(key)
      resolve()
    }
  }
}
