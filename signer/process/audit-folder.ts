import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Files of an audit stream, in order: `audit-00000001.jsonl` and so on. Only the last one is written. */
export function auditFilesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => /^audit-\d{8}\.jsonl$/.test(name))
    .toSorted()
    .map((name) => join(directory, name))
}

/** The whole lines of a file. A crash leaves a last line without its end. */
export function wholeLinesOf(file: string): string[] {
  const bytes = readFileSync(file)
  return bytes
    .subarray(0, bytes.lastIndexOf(0x0a) + 1)
    .toString()
    .split("\n")
    .slice(0, -1)
}

/** Lines of all files; each file is read once it is reached. */
export function* auditLines(directory: string): Generator<string> {
  for (const file of auditFilesIn(directory)) yield* wholeLinesOf(file)
}

/** As auditLines, the latest first. */
export function* auditLinesBackwards(directory: string): Generator<string> {
  for (const file of auditFilesIn(directory).toReversed()) yield* wholeLinesOf(file).toReversed()
}
