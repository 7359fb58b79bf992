import { isFault } from "../../../fault.ts"
import { Refusal } from "../../../refusal.ts"
import { terminalText } from "../../../terminal.ts"
import { quoted } from "../../../words/text.ts"
import type { Content, DescriptionLine } from "../../../words/words.ts"

/** Content by the signer's own reader. The signer refuses what this reader refuses; no other fault says so. */
export function readContent(title: string, read: () => Content): Content {
  try {
    return read()
  } catch (error) {
    const reason = terminalText(error instanceof Error ? error.message : String(error))
    const isRefused = isFault(error, "transaction") || isFault(error, "payload") || error instanceof Refusal
    const warning = isRefused
      ? `The signer refuses it: ${reason}.`
      : `It could not be read here (${quoted(reason)}). The signer may sign it all the same.`
    return { title, summary: "content that cannot be read", facts: [], warnings: [warning] }
  }
}

/** A fact; none for an empty value. */
export function factOf(name: string, value: string): DescriptionLine[] {
  return value === "" ? [] : [{ name, value }]
}

/** Summary of several readings, the one that approvers expect first. */
export function summaryOf(contents: readonly Content[]): string {
  const [first, ...others] = contents
  if (first === undefined) return "nothing"
  return others.length === 0
    ? first.summary
    : `${first.summary} (also: ${others.map(({ summary }) => summary).join(", ")})`
}
