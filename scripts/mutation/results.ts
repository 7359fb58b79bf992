import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { ROOT } from "../run.ts"
import { equivalents } from "./equivalents.ts"
import type { Mutant } from "./stryker.ts"

const FILE = join(ROOT, "scripts/mutation/results.json")

const survivor = z.object({
  file: z.string(),
  line: z.number(),
  mutator: z.string(),
  original: z.string(),
  replacement: z.string(),
})

/** A mutant that no test noticed. */
export type Survivor = z.infer<typeof survivor>

const room = z.object({
  /** Number of mutants by file. */
  mutants: z.record(z.string(), z.number()),
  survivors: z.array(survivor),
})

/** Results of one room. */
export type RoomResult = z.infer<typeof room>

/** The latest results, by room. */
export type Results = { [room: string]: RoomResult }

export function readResults(): Results {
  return existsSync(FILE) ? z.record(z.string(), room).parse(JSON.parse(readFileSync(FILE, "utf8"))) : {}
}

export function writeResults(results: Results): void {
  const sorted = Object.fromEntries(
    Object.entries(results).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** A mutant that ends in a timeout or an error was noticed. */
export function resultOf(mutants: readonly Mutant[]): RoomResult {
  const files = Map.groupBy(mutants, ({ file }) => file)
  return {
    mutants: Object.fromEntries([...files].map(([file, own]) => [file, own.length])),
    survivors: mutants
      .filter(({ status }) => status === "Survived" || status === "NoCoverage")
      .map(({ file, line, mutator, original, replacement }) => ({
        file,
        line,
        mutator,
        original,
        replacement,
      })),
  }
}

/** The reason why no test can notice the survivor; undefined: there is none. */
export function reasonOf({ file, original, replacement }: Survivor): string | undefined {
  return equivalents.find(
    (one) => one.file === file && one.original === original && one.replacement === replacement,
  )?.reason
}

export const unexplained = ({ survivors }: RoomResult): Survivor[] =>
  survivors.filter((one) => reasonOf(one) === undefined)
