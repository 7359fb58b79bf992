import { readUuid } from "./uuid.ts"

/**
 * A command line to print. Each value becomes one word of a POSIX shell, so text of a server that is pasted into a
 * terminal stays an argument: commandText`countersign profile delete ${name}`.
 */
export function commandText(texts: TemplateStringsArray, ...values: readonly string[]): string {
  return texts.reduce((line, text, index) => `${line}${shellWord(values[index - 1] ?? "")}${text}`)
}

/** Quotes a text as one word of a POSIX shell. A word that needs no quotes gets none. */
export function shellWord(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * An id of a server's reply, for a command or a sentence: the UUID, or `placeholder` for any other value. A text such
 * as `--api=https://evil.example` would be an option, and no quotes change that.
 */
export function shownId(value: unknown, placeholder: string): string {
  return (typeof value === "string" ? readUuid(value) : undefined) ?? placeholder
}
