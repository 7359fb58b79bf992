import { execFileSync } from "node:child_process"
import { join } from "node:path"

/** A reader: a module of the repository and the function of it that takes a text. */
export type Reader = { module: string; name: string }

/** Blocks of code that ran, in all scripts; `thrown`: name of the error that the reader threw. */
export type ExecutedBlocks = { blocks: number; thrown?: string }

/**
 * Counts the blocks that a reader executes for each text. V8's counts hardly depend on the machine's load. The
 * engine's built-in functions are not counted.
 */
export function executedBlocks(reader: Reader, texts: readonly string[]): ExecutedBlocks[] {
  // In its own process: counts cover the whole process, and would include the tests' coverage.
  const child = join(import.meta.dirname, "executed-blocks-child.ts")
  const { NODE_V8_COVERAGE: _, ...rest } = process.env
  // Empty, so that options of the test run are not handed on. Counts of compiled code from a cache are less precise.
  const env = { ...rest, NODE_OPTIONS: "", NODE_DISABLE_COMPILE_CACHE: "1" }
  const input = JSON.stringify({ ...reader, texts })
  return JSON.parse(
    execFileSync(process.execPath, [child], { env, input, encoding: "utf8" }),
  ) as ExecutedBlocks[]
}
