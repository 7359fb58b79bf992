// Times for people: relative, with the exact one beside.
import type { Time } from "../../common/activity-json.ts"

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
]

let relativeFormat: Intl.RelativeTimeFormat | undefined

/** Made when first used: making it takes a fifth of a short command's time. */
function relative(): Intl.RelativeTimeFormat {
  return (relativeFormat ??= new Intl.RelativeTimeFormat("en", { numeric: "auto" }))
}

export function msOf(time: Time): number {
  return typeof time === "string" ? Date.parse(time) : Number(time.seconds) * 1000
}

/** "3 minutes ago". */
export function relativeTime(ms: number, nowMs: number): string {
  const seconds = (ms - nowMs) / 1000
  const [unit, length] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? []
  if (unit === undefined || length === undefined)
    return Math.abs(seconds) < 20 ? "just now" : relative().format(Math.round(seconds), "second")
  return relative().format(Math.round(seconds / length), unit)
}

/** "2026-01-31 14:05:09 UTC". */
export function exactTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`
}

/** "12 hours", "30 minutes". */
export function duration(seconds: number): string {
  for (const [unit, length] of STEPS) {
    if (seconds >= length && seconds % length === 0) return count(seconds / length, unit)
  }
  return count(seconds, "second")
}

export function count(number: number, noun: string): string {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`
}

/** "alice", "alice and bob", "alice, bob and carol". */
export const listOf = (names: readonly string[]): string => new Intl.ListFormat("en-GB").format(names)
