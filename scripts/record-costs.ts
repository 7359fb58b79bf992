// Loaded into every process of a run with `--costs`: records the processor time of each test file, with that of the programs that it
// started and that have ended. Time that passes says little, because files wait for each other.
import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { isMainThread } from "node:worker_threads"
import { COST_OF_FILES } from "./test-costs.ts"
import { ROOT } from "./run.ts"

const folder = new URL(import.meta.url).searchParams.get("folder") ?? ""
/** Ticks of Linux in /proc. */
const TICKS_PER_SECOND = 100

const [, program = ""] = process.argv
// A file that runs in a process of its own, or a group: the share of the group that is of no file.
if (isMainThread && /\.test\.m?[jt]s$/.test(program)) {
  let ofFilesSeconds = 0
  Reflect.set(globalThis, Symbol.for(COST_OF_FILES), (file: string) => {
    const before = seconds()
    return () => {
      const spent = seconds() - before
      ofFilesSeconds += spent
      record(file, spent)
    }
  })
  process.once("exit", () => record(program.replace(`${ROOT}/`, ""), seconds() - ofFilesSeconds))
}

function record(file: string, spent: number): void {
  appendFileSync(join(folder, String(process.pid)), `${JSON.stringify({ file, seconds: spent })}\n`)
}

/** Processor seconds of this process and, on Linux, of its programs that have ended. */
function seconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + ofProgramsSeconds()
}

function ofProgramsSeconds(): number {
  try {
    const text = readFileSync("/proc/self/stat", "utf8")
    // The fields after the name, which may hold anything: proc_pid_stat(5), cutime and cstime.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}
