// Standard error of the logs of signer, fetcher and services that run in the process of a group of tests. Stands in for
// their `standard-error.ts`: their lines are kept, and shown only for a file that fails.

/** Lines of a file that are kept: the last ones say what led to a failure. */
const MAX_LINES = 500
let lines: string[] = []

export function standardError() {
  return {
    write(text: string): void {
      lines.push(text)
      if (lines.length > 2 * MAX_LINES) lines = lines.slice(-MAX_LINES)
    },
    queued: () => 0,
  }
}

/** Takes the log lines that were kept since the last call: the next call does not return them again. */
export function takeLog(): string {
  const taken = lines.slice(-MAX_LINES).join("")
  lines = []
  return taken
}
