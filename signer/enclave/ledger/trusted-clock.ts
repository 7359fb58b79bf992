import { refuse } from "../../core/refusal.ts"
import type { Ledger } from "./ledger.ts"

/** `wallMs`: what the host takes for Unix time; `monotonicMs`: never goes back, from any origin. */
export type Clock = { wallMs(): number; monotonicMs(): number }

type FloorKeeper = Pick<Ledger, "timeFloorMs" | "advanceTimeFloor" | "quietUntilMs" | "resetTimeFloor">

/**
 * The signer's only source of time. The host's clock is believed once, at start, and only near the ledger's
 * floor; from then on time follows the monotonic clock, and whoever sets the host's clock moves nothing.
 *
 * `nowMs` is to be called at least every minute, also when nothing happens: the floor of an idle signer would
 * stay behind, and its next start would find the clock more than a day ahead.
 */
export class TrustedClock {
  readonly #clock: Clock
  readonly #ledger: FloorKeeper
  /** undefined: the clock is not believed. */
  #start: { timeMs: number; monotonicMs: number } | undefined

  constructor(clock: Clock, ledger: FloorKeeper) {
    this.#clock = clock
    this.#ledger = ledger
    const wallMs = clock.wallMs()
    const floorMs = ledger.timeFloorMs()
    if (floorMs === NO_FLOOR || isNear(wallMs, floorMs)) this.#begin(Math.max(wallMs, floorMs))
  }

  /** Unix time in whole milliseconds; never goes down. @throws CLOCK_UNTRUSTED until an operator accepts */
  nowMs(): number {
    if (this.#start === undefined) throw refuse("CLOCK_UNTRUSTED", "the host's clock contradicts the ledger")
    const nowMs = Math.floor(this.#start.timeMs + this.#clock.monotonicMs() - this.#start.monotonicMs)
    this.#ledger.advanceTimeFloor(nowMs)
    const quietUntilMs = this.#ledger.quietUntilMs()
    if (nowMs < quietUntilMs) {
      const until = new Date(quietUntilMs).toISOString()
      throw refuse("CLOCK_UNTRUSTED", `the clock was set back: nothing is decided until ${until}`)
    }
    return nowMs
  }

  /**
   * An operator's word that it is `nowMs` (Unix, ms). Resolves when it is durable. Below the floor, what was carried out
   * could be live again although its fingerprint was purged: everything purged had expired by the floor of then, so until
   * that time comes again nothing is decided. For one window at least, and no later word makes it shorter.
   */
  async acceptClock(nowMs: number): Promise<void> {
    const floorMs = this.#ledger.timeFloorMs()
    const quietUntilMs = this.#ledger.quietUntilMs()
    const isBack = nowMs < floorMs
    const quietMs = isBack ? Math.max(nowMs + LIVENESS_MS, floorMs, quietUntilMs) : quietUntilMs
    await this.#ledger.resetTimeFloor(nowMs, quietMs)
    this.#begin(nowMs)
  }

  #begin(timeMs: number): void {
    this.#start = { timeMs, monotonicMs: this.#clock.monotonicMs() }
  }
}

/** The floor of a ledger that was never told the time: the first start believes its host. */
const NO_FLOOR = 0

const MINUTE_MS = 60_000

/** Below: the floor moves at most a minute behind time, the rest is what hosts' clocks differ by. */
const BEHIND_MS = 5 * MINUTE_MS

/** Above: a restart after a night is no event; a jump of years would void every session and vote. */
const AHEAD_MS = 24 * 60 * MINUTE_MS

/** A body is live for an hour, and may be stamped five minutes ahead. */
const LIVENESS_MS = 65 * MINUTE_MS

const isNear = (wallMs: number, floorMs: number): boolean =>
  wallMs >= floorMs - BEHIND_MS && wallMs <= floorMs + AHEAD_MS
