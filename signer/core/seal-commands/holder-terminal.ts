import { createInterface } from "node:readline"
import { Writable } from "node:stream"
import { askShareLines } from "../sealed-seed/ask-share.ts"
import { REFUSED, StartError } from "../settings/start-fault.ts"
import { openTerminal } from "../terminal.ts"

/** The terminal of a command that holders use: they read there what it does, and type shares and passphrases. */
export type HolderTerminal = {
  /** One line. `isHidden`: it is not shown while it is typed. @throws {StartError} at the end of the input */
  ask(question: string, options?: { isHidden?: boolean }): Promise<string>
  show(...lines: readonly string[]): void
  /** Removes what is shown, also from the lines above the screen. */
  clear(): void
  close(): void
}

/** Erases the screen and the lines above it (ECMA-48 ED, xterm's 3), cursor to the corner. */
const CLEAR = "\u001b[2J\u001b[3J\u001b[H"

const write = (text: string) => void process.stderr.write(text)

/** True if a person reads and types: neither end is a file or a pipe. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/**
 * Standard input and standard error of this process. Lines may also come through a pipe: then nothing is hidden or erased, because
 * nothing is shown.
 */
export function openHolderTerminal(): HolderTerminal {
  const isTerminal = isAtTerminal()
  const { log } = openTerminal({ print: write, log: (line) => write(`${line}\n`) })
  let isHidden = false
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk)
      done()
    },
  })
  // Without history: the arrow keys of the next holder bring nothing back.
  const reader = createInterface({ input: process.stdin, output: echo, terminal: isTerminal, historySize: 0 })
  const lines = reader[Symbol.asyncIterator]()
  reader.on("SIGINT", () => reader.close())
  return {
    async ask(question, options = {}) {
      log(question)
      isHidden = options.isHidden ?? false
      const { value, done } = await lines.next()
      isHidden = false
      if (done === true) throw inputEnded()
      return value
    },
    show: (...shown) => shown.forEach(log),
    clear: () => isTerminal && write(CLEAR),
    close: () => reader.close(),
  }
}

/** The end of the input, Ctrl-C or Ctrl-D. */
export function inputEnded(): StartError {
  return new StartError(REFUSED, "the input ended before everything was given: nothing was changed")
}

/** The words of a share, typed by its holder. */
export function askShare(holder: HolderTerminal, question: string): Promise<string> {
  return askShareLines((line) => holder.ask(line), question)
}

/** The same for one of several holders; empty: an empty line, or the end of the input. */
export async function askShareOrEnd(holder: HolderTerminal, given: readonly number[]): Promise<string> {
  const there = given.length === 0 ? "" : `Given so far: ${given.join(", ")}. `
  try {
    return await askShare(holder, `${there}Words of a share, or an empty line to end:`)
  } catch (error) {
    if (error instanceof StartError && error.message === inputEnded().message) return ""
    throw error
  }
}
