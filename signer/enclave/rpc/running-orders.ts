/** Counts the orders that have begun and are not answered, so that a signer that stops can wait for them. */
export class RunningOrders {
  #count = 0
  #waiters: (() => void)[] = []

  get count(): number {
    return this.#count
  }

  async run<T>(order: () => Promise<T>): Promise<T> {
    this.#count += 1
    try {
      return await order()
    } finally {
      this.#count -= 1
      if (this.#count === 0) for (const resolve of this.#waiters.splice(0)) resolve()
    }
  }

  /** Resolves when no order runs. */
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve))
  }
}
