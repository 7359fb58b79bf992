/**
 * One result of a verification. `not-proven`: shown, but not covered by the proof; `failed`: the proof is worthless.
 */
export type Finding = { verdict: "proven" | "not-proven" | "failed"; sentence: string }

export const proven = (sentence: string): Finding => ({ verdict: "proven", sentence })
export const notProven = (sentence: string): Finding => ({ verdict: "not-proven", sentence })
export const failed = (sentence: string): Finding => ({ verdict: "failed", sentence })

/** A time in UTC for people. @param unixMs decimal digits */
export function timeText(unixMs: string): string {
  const time = new Date(Number(unixMs))
  return Number.isNaN(time.getTime()) ? `${unixMs} ms` : time.toISOString()
}
