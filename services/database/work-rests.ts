import { setTimeout as pause } from "node:timers/promises"
import type { WorkSignals } from "./work-signals.ts"

/** Rests of a loop that looks for work: it looks again after a signal, and otherwise from time to time. */
export class WorkRests {
  #isSignalled = false
  #wake: (() => void) | undefined

  constructor(signals: Pick<WorkSignals, "onWork">) {
    signals.onWork(() => {
      this.#isSignalled = true
      this.#wake?.()
    })
  }

  /**
   * Rests for `leastMs`, and then until a signal, for `mostMs` together at most, or until the loop is stopped. A signal since the end
   * of the last rest counts: it may be about something that was stored behind the loop's look.
   */
  async rest({ leastMs, mostMs }: { leastMs: number; mostMs: number }, stop: AbortSignal): Promise<void> {
    const resting = new AbortController()
    const signal = AbortSignal.any([stop, resting.signal])
    await pause(Math.min(leastMs, mostMs), undefined, { signal: stop }).catch(() => undefined)
    this.#wake = () => resting.abort()
    if (!this.#isSignalled && mostMs > leastMs)
      await pause(mostMs - leastMs, undefined, { signal }).catch(() => undefined)
    this.#wake = undefined
    this.#isSignalled = false
  }
}
