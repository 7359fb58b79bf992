// Processor time of test files: `npm test -- --costs` (scripts/record-costs.ts).
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Name of the global function that a group calls before each of its files; it returns a function to call after it. */
export const COST_OF_FILES = "countersign.costOfFile"

const SHOWN = 40

export type CostOfFile = (file: string) => () => void

/** The option under which every process of a run records to a folder. */
export function costsIn(folder: string): string {
  const preload = new URL("record-costs.ts", import.meta.url)
  preload.searchParams.set("folder", folder)
  return `--import=${preload.href}`
}

/** Lines for the end of a run: the costliest files, and the sum. */
export function costReport(folder: string): string[] {
  const costs = readdirSync(folder)
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as { file: string; seconds: number })
    .toSorted((a, b) => b.seconds - a.seconds)
  const sum = costs.reduce((total, { seconds }) => total + seconds, 0)
  const lines = costs.slice(0, SHOWN).map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} ${file}`)
  return ["Processor seconds:", ...lines, `${sum.toFixed(1).padStart(8)} in all`]
}
