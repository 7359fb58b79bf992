import { setTimeout as pause } from "node:timers/promises"

/** Spaces calls out, in the order in which they are asked for. */
export class CallPace {
  readonly #everyMs: number
  #nextMs = 0

  constructor(perSecond: number) {
    this.#everyMs = 1000 / perSecond
  }

  /** Waits until the next call may be made. @throws AbortError */
  async take(signal: AbortSignal): Promise<void> {
    const nowMs = performance.now()
    const atMs = Math.max(this.#nextMs, nowMs)
    this.#nextMs = atMs + this.#everyMs
    await pause(atMs - nowMs, undefined, { signal })
  }
}
