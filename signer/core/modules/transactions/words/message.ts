// Messages that a person reads.
import { linesOf, quoted } from "../../../words/text.ts"
import type { Content } from "../../../words/words.ts"

/** Characters of no text that a person reads: controls but tab and the ends of a line, and what is no character. */
const UNREADABLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/u
/** Characters of a message that a sentence shows. */
const FIRST_WORDS = 80

/** The text of the bytes; undefined if a person cannot read it. */
export function readableText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return UNREADABLE.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

export function messageContent(title: string, text: string): Content {
  const characters = Array.from(text)
  const first =
    characters.length > FIRST_WORDS
      ? `${quoted(characters.slice(0, FIRST_WORDS).join(""))} and more`
      : quoted(text)
  const fact = text.includes("\n") ? { value: "", text: linesOf(text) } : { value: quoted(text) }
  return { title, summary: `message ${first}`, facts: [{ name: "Text", ...fact }], warnings: [] }
}
