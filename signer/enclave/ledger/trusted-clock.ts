import { type Refusal, refuse } from "../../core/refusal.ts"
import { type ClockJump, NO_JUMP, readJump, storeJump } from "./clock-jump.ts"
import type { Ledger } from "./ledger.ts"

/** `wallMs`: the host's Unix time; `monotonicMs`: never goes back, has any origin. */
export type Clock = { wallMs(): number; monotonicMs(): number }

type FloorKeeper = Pick<
  Ledger,
  | "timeFloorMs"
  | "advanceTimeFloor"
  | "quietUntilMs"
  | "resetTimeFloor"
  | "row"
  | "head"
  | "organizations"
  | "commit"
>

/**
 * The signer's only source of time. The host's clock is read until it is near the ledger's floor, normally once, at
 * start. From then on time follows the monotonic clock: setting the host's clock has no effect.
 *
 * Call `nowMs` at least once a minute, also when idle. Otherwise the floor falls behind.
 */
export class TrustedClock {
  readonly #clock: Clock
  readonly #ledger: FloorKeeper
  /** Undefined as long as the clock is not trusted. */
  #start: { timeMs: number; monotonicMs: number } | undefined
  #jump: ClockJump
  /** The highest time that a purge was given: rows that expired by it may be gone, although the floor is lower. */
  #purgedUntilMs = NO_FLOOR
  /** Orders to set the time that are not durable yet. */
  #accepting = 0

  constructor(clock: Clock, ledger: FloorKeeper) {
    this.#clock = clock
    this.#ledger = ledger
    this.#jump = readJump(ledger)
    this.#beginIfNear()
  }

  /** True if time runs; before that the host's clock must be corrected, or accepted by an operator. */
  isRunning(): boolean {
    return this.#start !== undefined || this.#beginIfNear()
  }

  /** Unix time in whole milliseconds; never goes down. @throws CLOCK_UNTRUSTED until an operator accepts */
  nowMs(): number {
    const time = this.read()
    if (typeof time === "number") return time
    throw time
  }

  /** As `nowMs`, but returns the refusal that says why the time is not trusted. */
  read(): number | Refusal {
    if (!this.isRunning()) return this.#untrusted()
    const nowMs = this.#runningMs()
    // The time that an order replaces would raise the floor again, behind that order's transaction.
    if (this.#accepting === 0) this.#ledger.advanceTimeFloor(nowMs)
    const quietUntilMs = this.#ledger.quietUntilMs()
    if (nowMs < quietUntilMs) {
      const reason = "the clock was set back, or an older ledger was accepted"
      return refuse(
        "CLOCK_UNTRUSTED",
        `${reason}: nothing is decided until ${iso(quietUntilMs)}; now it is ${iso(nowMs)}`,
      )
    }
    return nowMs
  }

  /**
   * The time until which expired rows may be purged: the present, or the floor before a jump that has not settled. None
   * while an order sets the time: the quiet time that it sets does not cover rows that a new purge removes.
   */
  purgeableUntilMs(): number {
    const nowMs = this.nowMs()
    if (this.#accepting > 0) return NO_FLOOR
    const untilMs = Math.min(nowMs, this.#openJump(nowMs)?.purgeUntilMs ?? nowMs)
    this.#purgedUntilMs = Math.max(this.#purgedUntilMs, untilMs)
    return untilMs
  }

  /** A sentence when the host's clock has left the signer's time by more than five minutes; both times are in it. */
  drift(): string | undefined {
    const [wallMs, nowMs] = [this.#clock.wallMs(), this.#runningMs()]
    if (Math.abs(wallMs - nowMs) <= BEHIND_MS) return undefined
    return `the host's clock says ${iso(wallMs)}, the signer's time is ${iso(nowMs)}: the signer reads the host's clock at its start only`
  }

  /**
   * Sets the time to `nowMs` (Unix, milliseconds) on an operator's order; resolves when it is durable. Below the floor,
   * executed requests could be live again although their fingerprints are purged. All purged rows had expired by one of three
   * times: the floor, the floor before a jump that has not settled, or a purge of this process, which may be a minute above the
   * floor. Without any organization nothing ever ran. Nothing is decided until then, nor within one freshness window. No later
   * order shortens this.
   */
  async acceptClock(nowMs: number): Promise<void> {
    const floorMs = this.#ledger.timeFloorMs()
    const quietUntilMs = this.#ledger.quietUntilMs()
    const isBack = nowMs < Math.max(floorMs, this.#purgedUntilMs)
    const purgedByFloorMs = this.#openJump(floorMs)?.purgeUntilMs ?? floorMs
    const purgedUntilMs = this.#isUnused() ? NO_FLOOR : Math.max(purgedByFloorMs, this.#purgedUntilMs)
    const quietMs = isBack ? Math.max(nowMs + FRESHNESS_MS, purgedUntilMs, quietUntilMs) : quietUntilMs
    const jump = isBack ? NO_JUMP : { ...this.#jumpedBy(nowMs - floorMs), jumpedMs: 0 }
    // Both are written in one transaction, because nothing runs between the two calls.
    this.#accepting += 1
    try {
      await Promise.all([storeJump(this.#ledger, jump), this.#ledger.resetTimeFloor(nowMs, quietMs)])
      this.#jump = jump
      this.#begin(nowMs)
    } finally {
      this.#accepting -= 1
    }
  }

  /**
   * Lets nothing be decided until every request that another copy of the ledger may have run is stale. Resolves when it
   * is durable. @throws CLOCK_UNTRUSTED until an operator accepts the clock
   */
  async waitOutRequests(): Promise<void> {
    const nowMs = this.#runningMs()
    await this.#ledger.resetTimeFloor(nowMs, Math.max(nowMs + FRESHNESS_MS, this.#ledger.quietUntilMs()))
  }

  /** True if no organization was ever created: the first clock of a new deployment may be wrong by years. */
  #isUnused(): boolean {
    return this.#ledger.organizations("", 1).length === 0
  }

  #runningMs(): number {
    if (this.#start === undefined && !this.#beginIfNear()) throw this.#untrusted()
    const { timeMs, monotonicMs } = this.#start!
    return Math.floor(timeMs + this.#clock.monotonicMs() - monotonicMs)
  }

  /** Begins at the host's time if it is near the floor. A host may set its clock only after the signer has started. */
  #beginIfNear(): boolean {
    const floorMs = this.#ledger.timeFloorMs()
    const aheadMs = this.#clock.wallMs() - floorMs
    if (floorMs !== NO_FLOOR) {
      const open = this.#openJump(floorMs)
      if (aheadMs < -BEHIND_MS || aheadMs + (open?.jumpedMs ?? 0) > AHEAD_MS) return false
      if (aheadMs > BEHIND_MS || (open !== undefined && aheadMs > 0)) {
        this.#jump = this.#jumpedBy(aheadMs)
        // If the disk is full the floor is not written either. Without the row, setting time back takes longer.
        storeJump(this.#ledger, this.#jump).catch(() => {})
      }
    }
    this.#begin(floorMs + Math.max(aheadMs, 0))
    return true
  }

  #begin(timeMs: number): void {
    this.#start = { timeMs, monotonicMs: this.#clock.monotonicMs() }
  }

  /** The jump that has not settled at a time. */
  #openJump(timeMs: number): ClockJump | undefined {
    return timeMs < this.#jump.settledAtMs ? this.#jump : undefined
  }

  /** The jump after another one: only time in which the signer runs settles it. */
  #jumpedBy(aheadMs: number): ClockJump {
    const floorMs = this.#ledger.timeFloorMs()
    const open = this.#openJump(floorMs)
    return {
      purgeUntilMs: open?.purgeUntilMs ?? floorMs,
      settledAtMs: (open?.settledAtMs ?? floorMs + SETTLING_MS) + aheadMs,
      jumpedMs: (open?.jumpedMs ?? 0) + aheadMs,
    }
  }

  #untrusted() {
    const [wallMs, floorMs] = [this.#clock.wallMs(), this.#ledger.timeFloorMs()]
    const both = `the host's clock says ${iso(wallMs)}, the highest time of the ledger is ${iso(floorMs)}`
    const advice =
      wallMs < floorMs
        ? "correct the clock; only if the ledger's time is wrong, run countersign-signer accept-clock"
        : `a clock over ${AHEAD_MS / DAY_MS} days ahead is not believed: correct it, or confirm it with countersign-signer accept-clock`
    return refuse("CLOCK_UNTRUSTED", `${both}; ${advice}`)
  }
}

/** The floor of a new ledger: the first start trusts its host. */
const NO_FLOOR = 0

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Largest distance of a clock below the floor: the floor lags time by a minute, the rest allows for differing clocks. */
const BEHIND_MS = 5 * MINUTE_MS

/** Largest distance of a clock above the floor: long holidays pass, a wrong month or year does not. */
const AHEAD_MS = 28 * DAY_MS

/** Time of running in which a wrong clock is noticed: the signer refuses the requests of every caller. */
const SETTLING_MS = DAY_MS

/** A request is live for an hour and may be stamped five minutes ahead. */
const FRESHNESS_MS = 65 * MINUTE_MS

const iso = (timeMs: number): string => new Date(timeMs).toISOString()
