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

/** A result as JSON: one line for programs, indented for people. */
export function printResult(
  { print }: Terminal,
  result: unknown,
  { json = false }: { json?: boolean },
): void {
  print(JSON.stringify(result, undefined, json ? undefined : 2))
}
