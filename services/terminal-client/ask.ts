import { createInterface, type Interface } from "node:readline/promises"
import { usage } from "./exit.ts"

/**
 * Asks a question whose answer is no unless it is yes.
 * @param input the terminal's keys @param output its screen
 * @throws {CliError} usage: there is no terminal to ask at
 */
export async function confirm(
  question: string,
  input: typeof process.stdin = process.stdin,
  output: typeof process.stderr = process.stderr,
): Promise<boolean> {
  if (!input.isTTY) throw usage(`${question.replace(/\?$/, "")}: there is no terminal to ask at; add --yes`)
  const answer = await answerTo(`${question} [y/N] `, createInterface({ input, output }))
  if (answer === undefined) output.write("\n")
  return answer !== undefined && /^y(?:es)?$/i.test(answer.trim())
}

/** The answer to a question; undefined: the person pressed Ctrl-C or Ctrl-D. Closes the reader. */
export async function answerTo(question: string, reader: Interface): Promise<string | undefined> {
  try {
    return await reader.question(question)
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") return undefined
    throw error
  } finally {
    reader.close()
  }
}
