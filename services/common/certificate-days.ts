import { counted } from "../../signer/core/counted.ts"

const DAY_MS = 24 * 60 * 60 * 1000

/** A certificate with fewer days is renewed soon, or now. */
const SOON_DAYS = 30
const NOW_DAYS = 7

/** Whole days until a Unix time in milliseconds, rounded down; negative: it has passed. */
export function daysUntil(timeMs: number, nowMs: number): number {
  return Math.floor((timeMs - nowMs) / DAY_MS)
}

/** How urgently a certificate with so many days left is to be renewed. */
export function urgencyOf(daysLeft: number): "none" | "soon" | "now" {
  if (daysLeft < NOW_DAYS) return "now"
  return daysLeft < SOON_DAYS ? "soon" : "none"
}

/** The days in words, with what to do. */
export function daysInWords(daysLeft: number): string {
  if (daysLeft < 0) return "has expired: renew it now"
  const days = `${counted(daysLeft, "day")} left`
  const urgency = urgencyOf(daysLeft)
  return urgency === "none" ? days : `${days}: renew it ${urgency}`
}
