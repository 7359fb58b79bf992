/**
 * One thing that a verifier looked at. `not-proven` is what nobody should read into a proof although nothing is wrong
 * with it; `failed` is what makes it worthless.
 */
export type Finding = { verdict: "proven" | "not-proven" | "failed"; sentence: string }

export const proven = (sentence: string): Finding => ({ verdict: "proven", sentence })
export const notProven = (sentence: string): Finding => ({ verdict: "not-proven", sentence })
export const failed = (sentence: string): Finding => ({ verdict: "failed", sentence })

/** A time as people read it, UTC. @param unixMs decimal digits */
export function timeText(unixMs: string): string {
  const time = new Date(Number(unixMs))
  return Number.isNaN(time.getTime()) ? `${unixMs} ms` : time.toISOString()
}
