import { BrokenInvariant } from "../core/invariant.ts"
import { errorFields, log } from "../process/log.ts"
import { statusOf } from "../process/transport.ts"

/** The status of a failed call. A broken invariant has none: it ends the process, so that nothing answers the call. */
export function statusUnlessBroken(error: unknown) {
  const status = statusOf(error)
  endIfBroken(error)
  return status
}

/** Ends the process if the error is a broken invariant. */
export function endIfBroken(error: unknown): void {
  if (error instanceof BrokenInvariant) terminate(error)
}

/**
 * Ends the process after a failed write, which may or may not be on disk, and after a broken invariant: the state in memory cannot
 * be trusted.
 */
export function terminate(error: unknown): never {
  const what = error instanceof BrokenInvariant ? "an invariant is broken" : "the ledger failed"
  log("error", what, errorFields(error))
  process.exit(70)
}
