// Text of others as approvers see it. No character of it ends its quotes, begins a line, or looks like a word of this program.
import { terminalText } from "../terminal.ts"

/**
 * Marks that a reader takes for the end of a quotation: initial and final quotes (Unicode categories Pi and Pf), low ones,
 * primes, and marks that look like them (UTS 39, confusables of U+0022). An apostrophe between two letters is none. Also
 * combining marks behind a quote, which they would cover, and two apostrophes behind a word. Those behind a space or an operator
 * are left: '' is an empty text of the policy language.
 */
const QUOTE_LIKE =
  /(?!(?<=\p{L})\u2019(?=\p{L}))[\p{Pi}\p{Pf}\u05f2\u1cd3\u201a\u201e\u2e42\u02ba\u02dd\u02ee\u02f5\u02f6\u05f4\u2033\u2036\u275d-\u2760\u3003\u301d-\u301f\uff02\u{1f676}-\u{1f678}]|(?<=")\p{M}+|(?<![\s=<>!([,&|])['\u00b4\u02b9\u02bc\u02ca\u055a\u05f3\u2032\uff07]{2}/gu

/** Brackets but round ones, which mark names. */
const BRACKET_LIKE = /(?![()])[\p{Ps}\p{Pe}]/gu

/** A text in quotes, on one line. It is a JSON string of the same text. */
export function quoted(text: string): string {
  return terminalText(JSON.stringify(text).replace(QUOTE_LIKE, escaped))
}

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** The name of an argument or account, as the interface has it; in quotes where it could be taken for more. */
export function nameText(name: string): string {
  return IDENTIFIER.test(name) ? name : quoted(name)
}

/** A name that somebody else gives to what stands behind it: `[alice]`. */
export function bracketed(name: string): string {
  const content = quoted(name).slice(1, -1).replaceAll('\\"', '"')
  return `[${content.replace(BRACKET_LIKE, escaped)}]`
}

/** A path of a request, such as `parameters.note`; in quotes where it could be taken for more. */
export function pathText(path: string): string {
  return PATH.test(path) ? path : quoted(path)
}

const PATH = /^[A-Za-z0-9_$.[\]]+$/

/**
 * The lines of a longer text, each without characters that would hide, reorder or begin anything. Marks at the beginning of a
 * line would cover what stands before it.
 */
export function linesOf(text: string): string[] {
  return text.split("\n").map((line) => terminalText(line.replace(/^\p{M}+/u, escaped)))
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("")
}

/** Items up to which a sentence lists all of them. */
const MAX_LISTED = 4

/** "a", "a and b", "a, b and c"; of more than four the first three and the number of the others. */
export function listed(items: readonly string[]): string {
  const { length } = items
  if (length === 0) return "none"
  if (length > MAX_LISTED)
    return `${items.slice(0, MAX_LISTED - 1).join(", ")} and ${length - MAX_LISTED + 1} more`
  return length === 1 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`
}

/** "users X and Y", or "no users". @param said the ids in words */
export function someOrNo(what: string, ids: readonly string[], said: string): string {
  return ids.length === 0 ? `no ${what}` : `${what} ${said}`
}

/** True if `listed` names all items. */
export function isWhollyListed({ length }: { readonly length: number }): boolean {
  return length <= MAX_LISTED
}

/** "2026-01-31 14:05:09 UTC" of a Unix time; the number where it is beyond every calendar. */
export function timeText(ms: number): string {
  const time = new Date(ms)
  return Number.isNaN(time.getTime())
    ? String(ms)
    : `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`
}
