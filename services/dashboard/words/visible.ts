// Text of others as it is, rather than as it wants to look.

/** Controls but tab and line feed, ends of a line by other names, and the characters that reorder what stands beside them. */
const DECEIVING = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Writes characters that would hide or reorder other text as `\uXXXX`. In JSON this is the same text. */
export function visible(text: string): string {
  return text.replace(DECEIVING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/** JSON for people, a member a line. */
export function prettyJson(value: unknown): string {
  return visible(JSON.stringify(value, undefined, 2))
}
