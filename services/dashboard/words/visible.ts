// Text of others as it is, rather than as it wants to look.
import { linesOf } from "../../../signer/core/words/text.ts"

/** Writes characters that would hide or reorder other text as `\uXXXX`. In JSON this is the same text. */
export function visible(text: string): string {
  return linesOf(text).join("\n")
}

/** JSON for people, a member a line. */
export function prettyJson(value: unknown): string {
  return visible(JSON.stringify(value, undefined, 2))
}
