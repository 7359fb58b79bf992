import { refuse } from "./refusal.ts"

/** A request is run only while it is younger than this. */
const MAX_AGE_MS = 60 * 60 * 1000
/** Largest lead of a caller's clock over the service's, and of the service's over a caller's with a new credential. */
export const MAX_AHEAD_MS = 5 * 60 * 1000
/** The votes on an activity expire together, this long after the first of them. */
export const VOTE_LIFETIME_MS = 24 * 60 * 60 * 1000

const field = "timestampMs"

/** @throws REQUEST_STALE, REQUEST_FROM_FUTURE */
export function requireFresh(timestampMs: number, nowMs: number): void {
  if (nowMs - timestampMs >= MAX_AGE_MS)
    throw refuse("REQUEST_STALE", staleSentence(timestampMs, nowMs), { field })
  if (timestampMs - nowMs > MAX_AHEAD_MS) {
    const sentence = "timestampMs is more than five minutes ahead of the service's clock"
    throw refuse(
      "REQUEST_FROM_FUTURE",
      `${sentence}: ${bothTimes(timestampMs, nowMs)}; set the caller's clock`,
      {
        field,
      },
    )
  }
}

/** Now in seconds is a time of January 1970 in milliseconds. */
const MAX_SECONDS = 10_000_000_000

function staleSentence(timestampMs: number, nowMs: number): string {
  if (timestampMs < MAX_SECONDS)
    return `timestampMs ${timestampMs} is in 1970: it looks like seconds; send milliseconds`
  return `timestampMs is an hour old or older: ${bothTimes(timestampMs, nowMs)}; stamp a new request`
}

function bothTimes(timestampMs: number, nowMs: number): string {
  return `it is ${timeText(timestampMs)}, the service's time is ${timeText(nowMs)}`
}

/** Greatest time that a Date holds, ECMA-262 §21.4.1.1. */
const MAX_DATE_MS = 8.64e15

function timeText(ms: number): string {
  return ms > MAX_DATE_MS ? `${ms} ms` : new Date(ms).toISOString()
}

/**
 * A body that was stamped before its credential existed was stamped by somebody else, or for another purpose. Callers'
 * clocks may be slow, so five minutes are granted. @throws CREDENTIAL_NEWER_THAN_REQUEST
 */
export function requireNotOlder(timestampMs: number, createdAtMs: number): void {
  if (createdAtMs - timestampMs > MAX_AHEAD_MS) throw newerThanRequest()
}

export function newerThanRequest() {
  const sentence =
    "timestampMs is before the credential was registered: stamp a new request, and check the clock"
  return refuse("CREDENTIAL_NEWER_THAN_REQUEST", sentence, { field })
}

/** Time from which a request's fingerprint is not needed: the request is then refused for its age. */
export function fingerprintExpiry(timestampMs: number): number {
  return timestampMs + MAX_AGE_MS
}

/**
 * The same time for a request that waited for votes: at least an hour after its outcome. So votes that were stamped before the
 * outcome are refused as late.
 */
export function outcomeFingerprintExpiry(timestampMs: number, outcomeAtMs: number): number {
  return Math.max(fingerprintExpiry(timestampMs), outcomeAtMs + MAX_AGE_MS)
}
