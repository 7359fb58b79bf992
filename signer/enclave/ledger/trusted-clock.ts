import { refuse } from "../../core/refusal.ts"
import type { Ledger } from "./ledger.ts"

/** `wallMs`: the host's Unix time; `monotonicMs`: never goes back, has any origin. */
export type Clock = { wallMs(): number; monotonicMs(): number }

type FloorKeeper = Pick<Ledger, "timeFloorMs" | "advanceTimeFloor" | "quietUntilMs" | "resetTimeFloor">

/**
 * The signer's only source of time. The host's clock is read once, at start, and trusted only near the ledger's floor.
 * From then on time follows the monotonic clock: setting the host's clock has no effect.
 *
 * Call `nowMs` at least once a minute, also when idle. Otherwise the floor falls behind, and the next start finds the
 * host's clock more than a day ahead.
 */
export class TrustedClock {
  readonly #clock: Clock
  readonly #ledger: FloorKeeper
  /** Undefined as long as the clock is not trusted. */
  #start: { timeMs: number; monotonicMs: number } | undefined

  constructor(clock: Clock, ledger: FloorKeeper) {
    this.#clock = clock
    this.#ledger = ledger
    const wallMs = clock.wallMs()
    const floorMs = ledger.timeFloorMs()
    if (floorMs === NO_FLOOR || isNear(wallMs, floorMs)) this.#begin(Math.max(wallMs, floorMs))
  }

  /** Whether time runs; before that an operator must accept the host's clock. */
  get isRunning(): boolean {
    return this.#start !== undefined
  }

  /** Unix time in whole milliseconds; never goes down. @throws CLOCK_UNTRUSTED until an operator accepts */
  nowMs(): number {
    const nowMs = this.#runningMs()
    this.#ledger.advanceTimeFloor(nowMs)
    const quietUntilMs = this.#ledger.quietUntilMs()
    if (nowMs < quietUntilMs) {
      const until = new Date(quietUntilMs).toISOString()
      const reason = "the clock was set back, or an older ledger was accepted"
      throw refuse("CLOCK_UNTRUSTED", `${reason}: nothing is decided until ${until}`)
    }
    return nowMs
  }

  /**
   * Sets the time to `nowMs` (Unix, milliseconds) on an operator's order; resolves when it is durable. Below the floor,
   * executed requests could be live again although their fingerprints are purged. All purged rows had expired by the
   * old floor, so nothing is decided until then, nor within one liveness window. No later order shortens this.
   */
  async acceptClock(nowMs: number): Promise<void> {
    const floorMs = this.#ledger.timeFloorMs()
    const quietUntilMs = this.#ledger.quietUntilMs()
    const isBack = nowMs < floorMs
    const quietMs = isBack ? Math.max(nowMs + LIVENESS_MS, floorMs, quietUntilMs) : quietUntilMs
    await this.#ledger.resetTimeFloor(nowMs, quietMs)
    this.#begin(nowMs)
  }

  /**
   * Lets nothing be decided until every request that another copy of the ledger may have run is stale. Resolves when it
   * is durable. @throws CLOCK_UNTRUSTED until an operator accepts the clock
   */
  async waitOutRequests(): Promise<void> {
    const nowMs = this.#runningMs()
    await this.#ledger.resetTimeFloor(nowMs, Math.max(nowMs + LIVENESS_MS, this.#ledger.quietUntilMs()))
  }

  #runningMs(): number {
    if (this.#start === undefined) throw refuse("CLOCK_UNTRUSTED", "the host's clock contradicts the ledger")
    return Math.floor(this.#start.timeMs + this.#clock.monotonicMs() - this.#start.monotonicMs)
  }

  #begin(timeMs: number): void {
    this.#start = { timeMs, monotonicMs: this.#clock.monotonicMs() }
  }
}

/** The floor of a new ledger: the first start trusts its host. */
const NO_FLOOR = 0

const MINUTE_MS = 60_000

/** How far below the floor a clock may be: the floor lags time by a minute, the rest allows for differing clocks. */
const BEHIND_MS = 5 * MINUTE_MS

/** How far above the floor a clock may be: signers stop for a night; a jump of years would end all sessions. */
const AHEAD_MS = 24 * 60 * MINUTE_MS

/** A request is live for an hour and may be stamped five minutes ahead. */
const LIVENESS_MS = 65 * MINUTE_MS

const isNear = (wallMs: number, floorMs: number): boolean =>
  wallMs >= floorMs - BEHIND_MS && wallMs <= floorMs + AHEAD_MS
