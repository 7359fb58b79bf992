import type { AttemptEnd, Delivery } from "../store/webhooks.ts"
import type { PostResult } from "./post.ts"

/** A notification is dead if no attempt delivered it within this time: three days, to survive a weekend's outage. */
const LIFETIME_MS = 3 * 24 * 3600 * 1000

/**
 * Time from its first attempt for which a notification is repeated while no receiver is at the URL, milliseconds. The receiver
 * may be under deployment.
 */
const ABSENT_MS = 3600 * 1000

/** Attempts after which a notification that the receiver answers with a fault stops holding up those behind it. */
const ATTEMPTS_IN_ORDER = 5

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 5 * 60 * 1000
const LONGEST_DEFERRAL_MS = 3600 * 1000

/** Status codes below 500 after which a request may be repeated (RFC 9110, RFC 6585, RFC 8470). */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429])

/** Pause after failures in a row: doubled each time up to `longest`, and shortened at random by up to a half. */
export function pauseAfter(failures: number, random: () => number, longest = LONGEST_PAUSE_MS): number {
  const whole = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 30), longest)
  return Math.round(whole * (1 - random() / 2))
}

/** A notification's next state after an attempt. */
export function afterAttempt(
  { id, attempts, queuedMs, triedMs }: Pick<Delivery, "id" | "attempts" | "queuedMs" | "triedMs">,
  result: PostResult,
  { nowMs, random }: { nowMs: number; random: () => number },
): AttemptEnd {
  const shown =
    "status" in result
      ? { httpStatus: result.status, fault: null }
      : { httpStatus: null, fault: result.fault }
  const end = (state: AttemptEnd["state"], retryMs = 0): AttemptEnd => ({ id, state, retryMs, ...shown })
  if ("status" in result && result.status >= 200 && result.status < 300) return end("DELIVERED")
  const isOver =
    nowMs - queuedMs >= LIFETIME_MS || (isAbsent(result) && nowMs - (triedMs ?? nowMs) >= ABSENT_MS)
  if (isOver || !(isTemporary(result) || isAbsent(result))) return end("DEAD")
  const isAnswered = "status" in result
  if (!isAnswered || attempts + 1 < ATTEMPTS_IN_ORDER) return end("WAITING")
  return end("DEFERRED", nowMs + pauseAfter(attempts + 1, random, LONGEST_DEFERRAL_MS))
}

/** True if no receiver is at the URL now: a redirect, which is not followed, 404 or 410. */
function isAbsent(result: PostResult): boolean {
  if ("fault" in result) return false
  const { status } = result
  return (status >= 300 && status < 400) || status === 404 || status === 410
}

/** True if an attempt with this result may be repeated until the notification expires. */
function isTemporary(result: PostResult): boolean {
  if ("fault" in result) return !result.isForbidden
  return result.status >= 500 || TEMPORARY.has(result.status)
}
