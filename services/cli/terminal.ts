/** Where a command speaks. Results can be piped on, so talk goes elsewhere. */
export type Terminal = {
  /** The result, one line. */
  print: (line: string) => void
  /** Everything said beside it, one line. */
  talk: (line: string) => void
}

export const terminal: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  talk: (line) => void process.stderr.write(`${line}\n`),
}

/** Whoever read what is said may be gone: a closed terminal (EIO), the next program of a pipe (EPIPE). */
const NOBODY_READS = ["EIO", "EPIPE"]

/** Goes on in silence when nobody reads any more: what was begun still has to be ended in order. */
export function outliveTerminal(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (!NOBODY_READS.includes(error.code ?? "")) throw error
    })
  }
}

/** A result as JSON: one line for programs, indented for people. */
export function printResult(
  { print }: Terminal,
  result: unknown,
  { json = false }: { json?: boolean },
): void {
  print(JSON.stringify(result, undefined, json ? undefined : 2))
}
