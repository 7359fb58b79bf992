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
  return Number.isNaN(time.getTime()) ? `${quoted(unixMs)} ms` : time.toISOString()
}

/**
 * A text of the evidence inside a sentence. One printable ASCII word is written as it is, anything else as a JSON text
 * of at most 80 characters. Otherwise an attacker could write a sentence of their own.
 */
export function quoted(text: string): string {
  return /^[\x21-\x7e]{1,300}$/.test(text) ? text : JSON.stringify(text.slice(0, 80))
}
