import { setTimeout as pause } from "node:timers/promises"
import { advance, type Steps } from "../core/turns/steps.ts"
import type { Ledger, VerifiedIndex } from "./ledger/ledger.ts"

/** Orders wait at most about this long for a slice, milliseconds. */
const SLICE_MS = 0.5

/** Pauses are this many times as long as the slices: a sixth of one core is the most that the work takes. */
const REST = 5

/**
 * Verifies the ledger's index in the background. Otherwise the first change of each index shard after a start would verify all
 * its rows. Damage is found then too, and not when someone needs the row.
 * @returns undefined if `signal` aborted it
 */
export function verifyIndexSlowly(
  ledger: Pick<Ledger, "verifyIndex">,
  signal: AbortSignal,
): Promise<VerifiedIndex | undefined> {
  return runSlowly(ledger.verifyIndex(), signal)
}

/** Runs steps in the background: at most a sixth of one core. @returns undefined if `signal` aborted it */
export async function runSlowly<T>(steps: Steps<T>, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted) {
    const startMs = performance.now()
    const result = advance(steps, SLICE_MS)
    if (result.done === true) return result.value
    await pause(REST * (performance.now() - startMs))
  }
  return undefined
}
