// Changes the enclave's guards one place at a time and runs the tests of their room; docs/MUTATION.md has the results.
// npm run mutate, npm run mutate -- clock vote, npm run mutate -- vote --survivors to try only those of the last run,
// npm run mutate -- --report for the document alone
import { writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { reportOf } from "./mutation/report.ts"
import {
  mergeSurvivors,
  rangesOf,
  readResults,
  resultOf,
  type RoomResult,
  unexplained,
  writeResults,
} from "./mutation/results.ts"
import { type Room, rooms } from "./mutation/rooms.ts"
import { mutantsOf } from "./mutation/stryker.ts"
import { ROOT } from "./run.ts"

const words = process.argv.slice(2)
const names = words.filter((word) => !word.startsWith("--"))
const unknown = names.filter((name) => rooms[name] === undefined)
if (unknown.length > 0) {
  console.error(`no such room: ${unknown.join(", ")}; there are: ${Object.keys(rooms).join(", ")}`)
  process.exit(2)
}

const concurrency = Number(process.env["MUTATE_PROCESSES"] ?? availableParallelism())
let left = 0
if (!words.includes("--report")) {
  for (const [name, room] of Object.entries(rooms)) {
    if (names.length > 0 && !names.includes(name)) continue
    const result = words.includes("--survivors") ? await runSurvivors(name, room) : await runRoom(room)
    if (result === undefined) continue
    writeResults({ ...readResults(), [name]: result })
    const missing = unexplained(result)
    left += missing.length
    console.log(`${name}: ${result.survivors.length} survivors, ${missing.length} of them without a reason`)
    for (const { file, line, original, replacement } of missing)
      console.log(`  ${file}:${line} ${JSON.stringify(original)} → ${JSON.stringify(replacement)}`)
  }
}
writeFileSync(join(ROOT, "docs/MUTATION.md"), reportOf(readResults()))
process.exitCode = left === 0 ? 0 : 1

async function runRoom(room: Room): Promise<RoomResult> {
  const startMs = Date.now()
  const mutants = await mutantsOf(room, concurrency)
  return resultOf(mutants, Date.now(), Math.round((Date.now() - startMs) / 1000))
}

/** Undefined: the room has no survivors, or was never run. */
async function runSurvivors(name: string, room: Room): Promise<RoomResult | undefined> {
  const earlier = readResults()[name]
  if (earlier === undefined || earlier.survivors.length === 0) return undefined
  return mergeSurvivors(earlier, await runRoom({ ...room, mutate: rangesOf(earlier) }))
}
