import { createInterface } from "node:readline/promises"
import { Writable } from "node:stream"
import { answerTo } from "./ask.ts"
import { usage } from "./exit.ts"
import { readText } from "./files/text-file.ts"

/**
 * Reads a secret from a file, or from standard input for `-` (without echo at a terminal). Never from an argument, which
 * other users of the machine could see.
 */
export async function readSecret(source: string, what: string): Promise<string> {
  return source === "-" && process.stdin.isTTY ? ask(what) : readText(source, what)
}

/** The bytes of a secret, without the end of its last line. The caller wipes them. @throws {CliError} usage: none */
export async function readSecretBytes(source: string, what: string): Promise<Buffer> {
  const bytes = Buffer.from((await readSecret(source, what)).replace(/\r?\n$/, ""))
  if (bytes.length > 0) return bytes
  if (source !== "-") throw usage(`${source}: the ${what} is empty`)
  throw usage(`standard input: the ${what} is empty; write it there, or name its file with the option for it`)
}

async function ask(what: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  // It switches the terminal's echo off: only then may the prompt be shown.
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true })
  process.stderr.write(`${what}: `)
  const answer = await answerTo("", reader)
  process.stderr.write("\n")
  if (answer === undefined) throw usage(`no ${what} was given, and nothing was sent`)
  return answer
}
