import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { equivalents } from "../../scripts/mutation/equivalents.ts"
import { reportOf } from "../../scripts/mutation/report.ts"
import { readResults, resultOf, unexplained } from "../../scripts/mutation/results.ts"
import { rooms } from "../../scripts/mutation/rooms.ts"
import { ROOT } from "../../scripts/run.ts"

const results = readResults()

t.test("every room has files and tests that exist", async (t) => {
  for (const [name, { mutate, tests }] of Object.entries(rooms)) {
    for (const pattern of mutate) t.not(globSync(pattern, { cwd: ROOT }).length, 0, `${name}: ${pattern}`)
    for (const file of tests) t.ok(existsSync(join(ROOT, file)), `${name}: ${file}`)
  }
})

t.test("no mutant of a guard survives without a reason", async (t) => {
  for (const [name, result] of Object.entries(results)) t.strictSame(unexplained(result), [], name)
})

t.test("every reason is that of a survivor", async (t) => {
  const survivors = Object.values(results).flatMap(({ survivors }) => survivors)
  const stale = equivalents.filter(
    ({ file, original, replacement }) =>
      !survivors.some(
        (one) => one.file === file && one.original === original && one.replacement === replacement,
      ),
  )
  t.strictSame(stale, [])
})

t.test("docs/MUTATION.md shows the results", async (t) => {
  t.equal(readFileSync(join(ROOT, "docs/MUTATION.md"), "utf8"), reportOf(results))
})

t.test("a mutant without a test survives, and a survivor without a reason is reported", async (t) => {
  const mutant = { file: "a.ts", line: 1, column: 1, mutator: "X", original: "a", replacement: "b" }
  const statuses = ["Killed", "Timeout", "RuntimeError", "Survived", "NoCoverage"] as const
  const result = resultOf(statuses.map((status, line) => ({ ...mutant, line, status })))
  t.strictSame(result.mutants, { "a.ts": 5 })
  t.strictSame(
    result.survivors.map(({ line }) => line),
    [3, 4],
  )
  t.equal(unexplained(result).length, 2)
})
