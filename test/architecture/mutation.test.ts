import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { reportOf } from "../../scripts/mutation/report.ts"
import {
  mergeSurvivors,
  rangesOf,
  readResults,
  resultOf,
  staleReasons,
  unexplained,
} from "../../scripts/mutation/results.ts"
import { rooms } from "../../scripts/mutation/rooms.ts"
import { ROOT } from "../../scripts/run.ts"

const results = readResults()

/** Rooms without results. */
const NOT_RUN: readonly string[] = ["copy", "store", "carried"]

t.test("every room has files and tests that exist", async (t) => {
  for (const [name, { mutate, tests }] of Object.entries(rooms)) {
    for (const pattern of mutate) t.not(filesOf([pattern]).length, 0, `${name}: ${pattern}`)
    for (const file of tests) t.ok(existsSync(join(ROOT, file)), `${name}: ${file}`)
  }
})

t.test("a room's results are those of exactly its files, and every room but these was run", async (t) => {
  for (const [name, { mutants }] of Object.entries(results))
    t.strictSame(Object.keys(mutants).toSorted(), filesOf(rooms[name]?.mutate ?? []).toSorted(), name)
  t.strictSame(
    Object.keys(rooms).filter((name) => results[name] === undefined),
    NOT_RUN,
  )
})

t.test("every guard of stamps, of the ledger and of votes is in one room", async (t) => {
  const inRooms = Object.values(rooms).flatMap(({ mutate }) => filesOf(mutate))
  t.equal(new Set(inRooms).size, inRooms.length, "in one only")
  const folders = ["signer/core/stamp", "signer/enclave/ledger", "signer/enclave/execution/voting"]
  const guards = filesOf(folders.map((folder) => `${folder}/**/*.ts`))
  t.strictSame(
    guards.filter((file) => !inRooms.includes(file)),
    [],
  )
})

t.test("no mutant of a guard survives without a reason", async (t) => {
  for (const [name, result] of Object.entries(results)) t.strictSame(unexplained(result), [], name)
})

t.test("every reason is that of a survivor", async (t) => {
  t.strictSame(staleReasons(results), [])
})

t.test("docs/MUTATION.md shows the results", async (t) => {
  t.equal(readFileSync(join(ROOT, "docs/MUTATION.md"), "utf8"), reportOf(results))
})

t.test("a mutant without a test survives, and a survivor without a reason is reported", async (t) => {
  const mutant = { file: "a.ts", line: 1, column: 1, mutator: "X", original: "a", replacement: "b" }
  const statuses = ["Killed", "Timeout", "RuntimeError", "Survived", "NoCoverage"] as const
  const result = resultOf(
    statuses.map((status, line) => ({ ...mutant, line, status })),
    Date.UTC(2026, 0, 31),
    7,
  )
  t.strictSame(result.mutants, { "a.ts": 5 })
  t.strictSame(
    result.survivors.map(({ line }) => line),
    [3, 4],
  )
  t.equal(unexplained(result).length, 2)
  t.match(result, { date: "2026-01-31", seconds: 7 })
})

t.test("survivors are tried again at their own lines, while their file is as it was", async (t) => {
  const file = "scripts/run.ts"
  const at = (line: number, original: string) => ({ file, line, mutator: "X", original, replacement: "" })
  const lines = readFileSync(join(ROOT, file), "utf8").split("\n")
  const result = { date: "2026-01-31", mutants: { [file]: 9 }, survivors: [] }
  const two = lines.slice(2, 4).join("\n")
  const survivors = [at(2, lines[1]!), at(2, lines[1]!.slice(3, 7)), at(3, two)]
  t.strictSame(rangesOf({ ...result, survivors }), [`${file}:2-2`, `${file}:3-4`])
  t.throws(() => rangesOf({ ...result, survivors: [at(1, two)] }), /changed at line 1: run the whole room/)
  const all = { ...result, seconds: 99, survivors }
  const again = { date: "2026-02-01", seconds: 7, mutants: { [file]: 2 }, survivors: survivors.slice(1) }
  t.strictSame(mergeSurvivors(all, again), { ...again, seconds: 99, mutants: result.mutants })
})

function filesOf(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
}
