/** Expired entries are removed at the first use with this many entries, and then at each doubling of those that remained. */
const SWEEP_AT = 1_000

/** Ids of orders that were run, kept until the orders expire. */
export class UsedOrders {
  readonly #expiry = new Map<string, number>()
  #sweepAt = SWEEP_AT

  /** Records an order's use; false: it was used before. */
  use(id: Uint8Array, expiresMs: number, nowMs: number): boolean {
    const key = Buffer.from(id).toString("hex")
    if (this.#expiry.has(key)) return false
    if (this.#expiry.size >= this.#sweepAt) this.#sweep(nowMs)
    this.#expiry.set(key, expiresMs)
    return true
  }

  #sweep(nowMs: number): void {
    for (const [key, expiresMs] of this.#expiry) if (expiresMs <= nowMs) this.#expiry.delete(key)
    this.#sweepAt = Math.max(SWEEP_AT, 2 * this.#expiry.size)
  }
}
