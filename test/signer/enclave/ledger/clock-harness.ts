import type { TrustedClock } from "../../../../signer/enclave/ledger/trusted-clock.ts"
import { codeOf, create, creation } from "./harness.ts"

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const START = Date.UTC(2030, 0, 1)

/** A host whose two clocks the test sets. */
export class Host {
  wall: number
  monotonic = 12_345.5
  constructor(wall: number) {
    this.wall = wall
  }
  wallMs = () => this.wall
  monotonicMs = () => this.monotonic
}

export const untrusted = (time: TrustedClock) => codeOf(() => time.nowMs()) === "CLOCK_UNTRUSTED"

/** A ledger whose floor is START. */
export async function ledgerAtStart(directory: string) {
  const ledger = create(directory)
  ledger.advanceTimeFloor(START)
  await ledger.commit([creation("org")])
  return ledger
}
