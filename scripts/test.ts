// Runs tap over all tests, over a layer of them, or over those named in the arguments; it ends with the failures and the count. With
// `--coverage` it also measures coverage and compares it with the bounds of .taprc. That is optional: with V8's counters hashing
// takes seven times as long. A run of all tests fails for a refusal code that no test was refused with. With `--long` tests that
// have a long form run it. With `--alone` no files share a process. With `--costs` it prints what each file took.
import { spawn } from "node:child_process"
import { existsSync, globSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeMemoryFolder } from "./memory-folder.ts"
import { recordingIn, unansweredCodes } from "./refusal-coverage.ts"
import { readCount, summary } from "./tap-count.ts"
import { Failures } from "./tap-failures.ts"
import { costReport, costsIn } from "./test-costs.ts"
import { groupedFiles } from "./test-groups.ts"
import { type Layer, LAYERS, layerOf } from "./test-layers.ts"
import { measurePace } from "./test-pace.ts"
import { startTestServer, testEnvironment, type TestServer } from "./test-server.ts"
import { ROOT, TOOLS } from "./run.ts"

const COVERAGE = "--coverage"
/** Runs the long forms of tests that have one (test/harness/long.ts). */
const LONG = "--long"
/** Runs each file in a process of its own (scripts/test-groups.ts). */
const ALONE = "--alone"
/** Prints the processor time of the costliest files (scripts/test-costs.ts). */
const COSTS = "--costs"
const OWN = [COVERAGE, LONG, ALONE, COSTS]
/** Runs the files of one layer (scripts/test-layers.ts). */
const LAYER = /^--layer=(.*)$/
/** Only ends files that hang: some start and stop whole systems. */
const FILE_SECONDS = 600
/** In the long form a file repeats what it does in the short one: a thousand kills take half an hour. */
const LONG_FILE_SECONDS = 3600
/** Files at a time where the machine is not slower than this; elsewhere those of .taprc. */
const JOBS_OF_FAST = 4
const FAST_PACE = 1.5

// Temporary files of this process, which starts the server of the databases, and of all that it starts.
const memory = makeMemoryFolder()
if (memory) process.env["TMPDIR"] = memory
// Coverage of compiled code from a cache is less precise, so only a run without coverage uses a cache.
const compiled = process.argv.includes(COVERAGE) ? undefined : mkdtempSync(join(tmpdir(), "cs-compiled-"))
const words = process.argv.slice(2)
// tap takes files: a folder means the tests in it.
const named = words
  .filter((word) => !word.startsWith("-"))
  .flatMap((word) => (isFolder(word) ? globSync(`${word}/**/*.test.ts`, { cwd: ROOT }) : [word]))
for (const name of named)
  if (!existsSync(join(ROOT, name))) {
    console.error(`${name}: no such file or folder; name test files or folders, such as test/signer`)
    process.exit(2)
  }
const layer = selectedLayer()
const options = words.filter((word) => word.startsWith("-") && !OWN.includes(word) && !LAYER.test(word))
if (!words.includes(COVERAGE)) options.push("--disable-coverage")
if (!options.some((option) => option.startsWith("--reporter"))) options.push("--reporter=tap")
const pace = await measurePace()
if (!options.some((option) => option.startsWith("--timeout")))
  options.push(`--timeout=${Math.ceil((words.includes(LONG) ? LONG_FILE_SECONDS : FILE_SECONDS) * pace)}`)
// Most files wait half of their time. On a slow machine more files at a time would make their short waits end too early.
if (pace < FAST_PACE && !options.some((option) => option.startsWith("--jobs")))
  options.push(`--jobs=${JOBS_OF_FAST}`)
const all = () => globSync("test/**/*.test.ts", { cwd: ROOT }).toSorted()
// Refusal codes are compared only after a run of all tests: no argument selects tests.
const isWhole = words.every((word) => OWN.includes(word) || word.startsWith("--reporter"))
const candidates = isWhole || (layer !== undefined && named.length === 0) ? all() : named
const files = layer === undefined ? candidates : candidates.filter((file) => layerOf(file) === layer)
if (layer !== undefined && files.length === 0) throw new Error(`no file of layer ${layer} is named`)
const server = await serverFor(files)
const refusals = isWhole ? mkdtempSync(join(tmpdir(), "cs-refusals-")) : undefined
const costs = words.includes(COSTS) ? mkdtempSync(join(tmpdir(), "cs-costs-")) : undefined
const grouped = files.length > 1 && !words.includes(ALONE) ? groupedFiles(files) : files
const nodeOptions = [
  process.env["NODE_OPTIONS"],
  compiled && quickStart(compiled),
  refusals && recordingIn(refusals),
  costs && costsIn(costs),
]
const child = spawn("tap", [...options, ...grouped], {
  cwd: ROOT,
  env: testEnvironment(
    {
      ...TOOLS,
      ...(memory && { TMPDIR: memory }),
      NODE_OPTIONS: nodeOptions.filter(Boolean).join(" "),
      TEST_PACE: String(pace),
      ...(compiled === undefined && { NODE_DISABLE_COMPILE_CACHE: "1" }),
      ...(words.includes(LONG) && { TEST_LONG: "1" }),
    },
    server,
  ),
  stdio: ["inherit", "pipe", "inherit"],
})

// Failures and count are printed last, after the table of coverage: the end of the output is enough.
const TAIL_CHARACTERS = 65_536
let tail = ""
const failures = new Failures()
child.stdout.setEncoding("utf8")
child.stdout.on("data", (text: string) => {
  process.stdout.write(text)
  tail = (tail + text).slice(-TAIL_CHARACTERS)
  failures.read(text)
})
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))

child.on("error", (error) => console.error(`tap cannot be started: ${error.message}`))

const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
await server?.stop().catch((error: Error) => console.error(`the database does not stop: ${error.message}`))
const count = readCount(tail)
if (count === undefined) console.error("tap ended without a count")
const unanswered = refusals === undefined ? [] : unansweredCodes(refusals)
if (costs) for (const line of costReport(costs)) console.log(line)
for (const folder of [compiled, refusals, costs])
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
for (const line of failures.report()) console.log(line)
if (unanswered.length > 0) console.log(`not ok - no test is refused with ${unanswered.join(", ")}`)
const { passed, failed, skipped } = count ?? { passed: 0, failed: 1, skipped: 0 }
console.log(summary({ passed, failed: failed + unanswered.length, skipped }))
process.exitCode = count === undefined || unanswered.length > 0 ? code || 1 : (code ?? 1)

/**
 * No server where one is given, for files that need none, or for a single file, which starts its own if it needs one.
 */
async function serverFor(handed: readonly string[]): Promise<TestServer | undefined> {
  if (testEnvironment(process.env)["TEST_DATABASE_URL"] !== undefined) return undefined
  if (handed.length === 1 || (handed.length > 0 && handed.every((file) => layerOf(file) !== "system")))
    return undefined
  return startTestServer().catch((error: Error) => {
    console.error(`no embedded PostgreSQL: ${error.message}`)
    return undefined
  })
}

/** The layer that the arguments select. */
function selectedLayer(): Layer | undefined {
  const name = words.flatMap((word) => LAYER.exec(word)?.[1] ?? [])[0]
  const found = LAYERS.find((one) => one === name)
  if (name !== undefined && found === undefined)
    throw new Error(`--layer: unknown layer "${name}"; use ${LAYERS.join(", ")}`)
  return found
}

/** The option under which the processes of this run share their modules' compiled code (scripts/quick-start.js). */
function quickStart(folder: string): string {
  const preload = new URL("quick-start.js", import.meta.url)
  preload.searchParams.set("folder", folder)
  return `--import=${preload.href}`
}

function isFolder(word: string): boolean {
  return statSync(join(ROOT, word), { throwIfNoEntry: false })?.isDirectory() ?? false
}
