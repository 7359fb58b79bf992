import { refuse } from "../../../signer/core/refusal.ts"

/** A body is carried out only while it is younger than this. */
const MAX_AGE_MS = 60 * 60 * 1000
/** How far a caller's clock may be ahead of ours. */
const MAX_AHEAD_MS = 5 * 60 * 1000

/** @throws Refusal REQUEST_STALE, REQUEST_FROM_FUTURE */
export function requireLive(timestampMs: number, nowMs: number): void {
  const field = "timestampMs"
  if (nowMs - timestampMs >= MAX_AGE_MS) {
    throw refuse("REQUEST_STALE", "timestampMs is an hour old or older: stamp a new request", { field })
  }
  if (timestampMs - nowMs > MAX_AHEAD_MS) {
    throw refuse("REQUEST_FROM_FUTURE", "timestampMs is more than five minutes ahead of this clock", {
      field,
    })
  }
}
