import { SHARE_WORDS } from "./share-words.ts"

/** Asks for one line. */
type AskLine = (question: string) => Promise<string>

/** Forty words, on one line or several; an empty line ends them too. */
export async function askShareLines(ask: AskLine, question: string): Promise<string> {
  const words: string[] = []
  for (
    let line = await ask(question);
    ;
    line = await ask(
      `${words.length} of ${SHARE_WORDS} words so far; the next ones, or an empty line to begin again:`,
    )
  ) {
    const more = line.trim()
    if (more === "") return words.join(" ")
    words.push(...more.split(/\s+/))
    if (words.length >= SHARE_WORDS || !/\p{L}/u.test(more)) return words.join(" ")
  }
}
