/** Entries above which those past their time are looked for. */
const SWEEP_AT = 1_000

/** Orders that were carried out, remembered until they are void anyway. */
export class SpentOrders {
  readonly #expiry = new Map<string, number>()

  /** False: it was spent before. */
  spend(id: Uint8Array, expiresMs: number, nowMs: number): boolean {
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
