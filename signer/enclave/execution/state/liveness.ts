import { refuse } from "../../../core/refusal.ts"

/** A body is carried out only while it is younger than this. */
export const MAX_AGE_MS = 60 * 60 * 1000
/** How far a caller's clock may be ahead of ours. */
export const MAX_AHEAD_MS = 5 * 60 * 1000

/** @throws REQUEST_STALE, REQUEST_FROM_FUTURE */
export function requireLive(timestampMs: number, nowMs: number): void {
  if (nowMs - timestampMs >= MAX_AGE_MS) {
    throw refuse("REQUEST_STALE", "timestampMs is an hour old or older: stamp a new request", {
      field: "timestampMs",
    })
  }
  if (timestampMs - nowMs > MAX_AHEAD_MS) {
    throw refuse(
      "REQUEST_FROM_FUTURE",
      "timestampMs is more than five minutes ahead of the service's clock",
      {
        field: "timestampMs",
      },
    )
  }
}

/** From when on liveness alone keeps a body out, so that its fingerprint may be forgotten. */
export function forgettableAt(timestampMs: number): number {
  return timestampMs + MAX_AGE_MS
}

/**
 * The same of a body that waited for votes: not before it is settled, and for an hour after that, in which votes that were
 * stamped before may still come and are told that they are too late.
 */
export function settledForgettableAt(timestampMs: number, settledAtMs: number): number {
  return Math.max(forgettableAt(timestampMs), settledAtMs + MAX_AGE_MS)
}
