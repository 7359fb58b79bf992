import { RecentlyUsed } from "../../signer/core/recently-used.ts"
import { ApiError, GrpcCode } from "./api-error.ts"

/** Callers that are remembered; a forgotten one begins with a full bucket again. */
const MAX_CALLERS = 50_000

type RateLimitOptions = {
  perSecond: number
  /** Requests that a caller may make at once. */
  burst: number
  /** Monotonic milliseconds. */
  elapsedMs?: () => number
}

/** A token bucket for each caller. */
export class RateLimit {
  readonly #options: Required<RateLimitOptions>
  readonly #buckets = new RecentlyUsed<string, { tokens: number; atMs: number }>(MAX_CALLERS)

  constructor(options: RateLimitOptions) {
    this.#options = { elapsedMs: () => performance.now(), ...options }
  }

  /** Counts a request of a caller. @throws ApiError 429 */
  take(caller: string): void {
    const { perSecond, burst, elapsedMs } = this.#options
    const nowMs = elapsedMs()
    const { tokens, atMs } = this.#buckets.get(caller) ?? { tokens: burst, atMs: nowMs }
    const left = Math.min(burst, tokens + ((nowMs - atMs) * perSecond) / 1000) - 1
    if (left < 0) throw tooMany()
    this.#buckets.set(caller, { tokens: left, atMs: nowMs })
  }
}

/** Published text. */
function tooMany(): ApiError {
  return new ApiError(
    GrpcCode.resourceExhausted,
    "Too many requests. Please wait and try again in a few seconds",
    { publicCode: "RATE_LIMIT_EXCEEDED" },
  )
}
