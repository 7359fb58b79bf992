import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { ROOT } from "../run.ts"
import type { Equivalent } from "./equivalents/equivalent.ts"
import { equivalents } from "./equivalents/index.ts"
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
  /** Day of the last run, `YYYY-MM-DD`, UTC. */
  date: z.iso.date(),
  /** Duration of the last complete run. */
  seconds: z.number().int().optional(),
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
export function resultOf(mutants: readonly Mutant[], nowMs: number, seconds: number): RoomResult {
  const files = Map.groupBy(mutants, ({ file }) => file)
  return {
    date: new Date(nowMs).toISOString().slice(0, 10),
    seconds,
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

/**
 * A room's result after its earlier survivors were tried again. New tests notice more, and none of them less: what was
 * noticed before is not tried again.
 */
export function mergeSurvivors(earlier: RoomResult, again: RoomResult): RoomResult {
  return { ...earlier, date: again.date, survivors: again.survivors }
}

/** Ranges of the source, as Stryker selects them. @throws Error when a file changed since the survivors were found */
export function rangesOf({ survivors }: RoomResult): string[] {
  const ranges = survivors.map(({ file, line, original }) => {
    const last = line + original.split("\n").length - 1
    const lines = readFileSync(join(ROOT, file), "utf8").split("\n")
    if (
      !lines
        .slice(line - 1, last)
        .join("\n")
        .includes(original)
    )
      throw new Error(`${file} changed at line ${line}: run the whole room`)
    return `${file}:${line}-${last}`
  })
  return [...new Set(ranges)]
}

/**
 * The reason why no test can notice each survivor; undefined: there is none. A reason stands for one survivor: another
 * mutant with the same text, elsewhere in its file, needs its own.
 */
export function reasonsOf(survivors: readonly Survivor[]): (string | undefined)[] {
  const left = [...equivalents]
  return survivors.map(({ file, original, replacement }) => {
    const index = left.findIndex(
      (one) => one.file === file && one.original === original && one.replacement === replacement,
    )
    return index === -1 ? undefined : left.splice(index, 1)[0]?.reason
  })
}

export function unexplained({ survivors }: RoomResult): Survivor[] {
  const reasons = reasonsOf(survivors)
  return survivors.filter((_, index) => reasons[index] === undefined)
}

/** Changes with a reason that no longer survive; those in files of rooms without results are not known. */
export function staleReasons(results: Results): Equivalent[] {
  const left = Object.values(results).flatMap(({ survivors }) => survivors.map(nameOf))
  const files = Object.values(results).flatMap(({ mutants }) => Object.keys(mutants))
  const known = equivalents.filter(({ file }) => files.includes(file))
  return known.filter((one) => {
    const index = left.indexOf(nameOf(one))
    if (index !== -1) left.splice(index, 1)
    return index === -1
  })
}

function nameOf({ file, original, replacement }: Equivalent | Survivor): string {
  return JSON.stringify([file, original, replacement])
}
