import { JoinFault } from "./fault.ts"

/** Asks a question at the terminal; undefined: there is no terminal. */
export type Ask = ((question: string) => Promise<string>) | undefined

/** `shownBy`: where the other words are. `given`: the other words, as a script has them; without them the user is asked. */
type Comparison = { shownBy: string; words: string; given: string | undefined }

/** @throws {JoinFault} unless the words are those that the other host shows */
export async function requireSameWords({ shownBy, words, given }: Comparison, ask: Ask): Promise<void> {
  if (given !== undefined) {
    const isSame =
      given
        .trim()
        .toLowerCase()
        .split(/[\s-]+/)
        .join("-") === words
    if (!isSame)
      throw new JoinFault("refused", `the words are ${words}, not ${given.slice(0, 200)}: ${REPLACED}`)
    return
  }
  if (ask === undefined)
    throw new JoinFault(
      "usage",
      `there is no terminal to ask at: add --words with the words that ${shownBy} shows`,
    )
  const reply = await ask(`${words}\nDoes ${shownBy} show the same words? [y/N] `).catch(noAnswer)
  if (!/^y(?:es)?$/i.test(reply.trim()))
    throw new JoinFault("refused", `nothing was done. If the words differ, ${REPLACED}`)
}

/** Ctrl-C and Ctrl-D at the question are no answer. */
function noAnswer(error: unknown): string {
  if (error instanceof Error && error.name === "AbortError") return ""
  throw error
}

const REPLACED = "somebody replaced the line on its way, or it is of another host"
