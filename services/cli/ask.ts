import { createInterface } from "node:readline/promises"
import { usage } from "./exit.ts"

/** Asks a question whose answer is no unless it is yes. @throws {CliError} usage: there is no terminal to ask at */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw usage(`${question.replace(/\?$/, "")}: there is no terminal to ask at; add --yes`)
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await reader.question(`${question} [y/N] `)).trim())
  } finally {
    reader.close()
  }
}
