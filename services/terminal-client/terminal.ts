import type { Terminal } from "../../signer/core/terminal.ts"

export type { Terminal } from "../../signer/core/terminal.ts"

/** Standard output and standard error. `run` opens it, which escapes unsafe characters. */
export const standardOutput: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  log: (line) => void process.stderr.write(`${line}\n`),
}

/** Columns of the terminal that standard output is; undefined: it is none. */
export function terminalWidth(): number | undefined {
  return process.stdout.columns
}

/** Write errors of a closed terminal (EIO) and of a closed pipe (EPIPE). */
const CLOSED_OUTPUT_CODES = ["EIO", "EPIPE"]

/** Ignores a closed output, so that a shutdown in progress completes. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!CLOSED_OUTPUT_CODES.includes(error.code ?? "")) throw error
    })
  }
}

/** A result as JSON: one line for programs, indented for people. */
export function printResult(
  { print }: Terminal,
  result: unknown,
  { json = false }: { json?: boolean },
): void {
  for (const line of JSON.stringify(result, undefined, json ? undefined : 2).split("\n")) print(line)
}

/** A result as JSON on one line with --json, and otherwise its lines for people. */
export function printEither(
  terminal: Terminal,
  { json = false }: { json?: boolean | undefined },
  result: unknown,
  lines: readonly string[],
): void {
  if (json) printResult(terminal, result, { json })
  else lines.forEach(terminal.print)
}
