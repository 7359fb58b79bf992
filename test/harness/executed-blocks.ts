import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** A reader: a module of the repository and the function of it that takes a text. */
export type Reader = { module: string; name: string }

/** Blocks of code that ran, in all scripts; `thrown`: the name of what the reader threw. */
export type Work = { blocks: number; thrown?: string }

/**
 * What a reader does for each text, as V8 counts it: nearly the same on a busy machine as on an idle one. What the
 * engine's own functions do is not in it.
 */
export function workOf(reader: Reader, texts: readonly string[]): Work[] {
  // A process of its own: counts are taken of all that runs in one, and coverage of the tests counts there too.
  const child = join(import.meta.dirname, "work-child.ts")
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...env } = process.env
  const input = JSON.stringify({ ...reader, texts })
  return JSON.parse(execFileSync(process.execPath, [child], { env, input, encoding: "utf8" })) as Work[]
}
