/** From this many entries on, expired ones are removed at each use. */
const SWEEP_AT = 1_000

/** Ids of orders that were run, kept until the orders expire. */
export class UsedOrders {
  readonly #expiry = new Map<string, number>()

  /** Records an order's use; false: it was used before. */
  use(id: Uint8Array, expiresMs: number, nowMs: number): boolean {
    const key = Buffer.from(id).toString("hex")
    if (this.#expiry.has(key)) return false
    if (this.#expiry.size >= SWEEP_AT) this.#sweep(nowMs)
    this.#expiry.set(key, expiresMs)
    return true
  }

  #sweep(nowMs: number): void {
    for (const [key, expiresMs] of this.#expiry) if (expiresMs <= nowMs) this.#expiry.delete(key)
  }
}
