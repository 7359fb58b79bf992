import { refuse } from "./refusal.ts"

/** A request is run only while it is younger than this. */
const MAX_AGE_MS = 60 * 60 * 1000
/** A caller's clock may be this much ahead of the service's. */
export const MAX_AHEAD_MS = 5 * 60 * 1000
/** The votes on an activity expire together, this long after the first of them. */
export const VOTES_LAPSE_AFTER_MS = 24 * 60 * 60 * 1000

const field = "timestampMs"

/** @throws REQUEST_STALE, REQUEST_FROM_FUTURE */
export function requireLive(timestampMs: number, nowMs: number): void {
  if (nowMs - timestampMs >= MAX_AGE_MS)
    throw refuse("REQUEST_STALE", "timestampMs is an hour old or older: stamp a new request", { field })
  if (timestampMs - nowMs > MAX_AHEAD_MS) {
    const sentence = "timestampMs is more than five minutes ahead of the service's clock"
    throw refuse("REQUEST_FROM_FUTURE", sentence, { field })
  }
}

/** When a request's fingerprint may be forgotten: from then on its age alone keeps the request out. */
export function forgettableAt(timestampMs: number): number {
  return timestampMs + MAX_AGE_MS
}

/**
 * When the fingerprint of a request that waited for votes may be forgotten: an hour after its outcome at the earliest, so
 * that votes stamped before the outcome are refused as late.
 */
export function settledForgettableAt(timestampMs: number, settledAtMs: number): number {
  return Math.max(forgettableAt(timestampMs), settledAtMs + MAX_AGE_MS)
}
