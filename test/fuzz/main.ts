// Explores the readers of bytes from outside: mutations of a corpus that grows with V8's coverage of each reader's own files, and that
// another implementation judges.
// npm run fuzz                                   every reader, one minute each
// npm run fuzz -- psbt --minutes 10 --seed 7     one reader; several names are taken too
// npm run fuzz -- all --inputs 100000            at most so many inputs of each
// npm run fuzz -- psbt --keep                    writes the smallest corpus with the coverage of earlier runs to test/fuzz/corpora/
import { fork } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { counted } from "../../signer/core/counted.ts"
import { keepFinding, lineOf } from "./engine/kept-inputs.ts"
import { unpack } from "./engine/batch-file.ts"
import { READERS } from "./readers/index.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: "string", default: "1" },
    seed: { type: "string", default: String(Date.now() % 2 ** 32) },
    inputs: { type: "string", default: String(Number.MAX_SAFE_INTEGER) },
    keep: { type: "boolean", default: false },
  },
})

const names = positionals.length === 0 || positionals.includes("all") ? Object.keys(READERS) : positionals
const unknown = names.filter((name) => !Object.hasOwn(READERS, name))
if (unknown.length > 0) {
  console.error(`no such reader: ${unknown.join(", ")}; there are: ${Object.keys(READERS).join(", ")}`)
  process.exit(2)
}
if (![values.minutes, values.seed, values.inputs].every((value) => Number(value) >= 0)) {
  console.error("--minutes, --seed and --inputs take numbers")
  process.exit(2)
}

/** The part of the time, and of the inputs, for which V8 counts blocks. It optimizes no code meanwhile. */
const SEARCH_SHARE = 0.25
/** A reader that takes longer for one batch of inputs hangs. Batches take milliseconds. */
const HANG_MS = 120_000
/** A reader that needs more memory ends, with the batch that did it. */
const HEAP_MIB = 768

/** Inputs of all readers. */
const figures = { search: 0, judge: 0 }
const folder = mkdtempSync(join(tmpdir(), "fuzz-"))
try {
  let faulty = 0
  for (const name of names) if (!(await exploreOne(name))) faulty++
  const { search, judge } = figures
  console.log(
    `${counted(names.length, "reader")}: ${search} inputs searched, ${judge} judged, seed ${values.seed}, ${faulty} with faults`,
  )
  process.exitCode = faulty === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Searches, then judges what was found and mutations of it; false: there are findings. */
async function exploreOne(name: string): Promise<boolean> {
  const { minutes, seed, inputs, keep } = values
  if (keep) return (await run([name, "keep"])) === 0
  if ((await run([name, "seed"])) !== 0) return false
  const shares = { search: SEARCH_SHARE, judge: 1 - SEARCH_SHARE }
  let isFaultless = true
  for (const [mode, share] of Object.entries(shares)) {
    const batchFile = join(folder, name)
    const part = [Number(minutes), Number(inputs)].map((whole, index) =>
      String(index === 0 ? whole * share : Math.ceil(whole * share)),
    )
    const code = await run([name, mode, batchFile, part[0] ?? "", seed, part[1] ?? ""])
    if (code === 0) continue
    isFaultless = false
    if (code !== 1) await findCrashingInput(name, batchFile, code)
  }
  return isFaultless
}

/** Tries the last batch of a process that crashed or hung, each input in a process of its own. */
async function findCrashingInput(name: string, batchFile: string, code: number | string): Promise<void> {
  console.log(`${name}: the process ended with ${code}; its last inputs are tried one by one`)
  for (const input of unpack(readFileSync(batchFile))) {
    const line = lineOf(input)
    const alone = await run([name, "one", line])
    if (alone === 0 || alone === 1) continue
    keepFinding(name, input)
    console.log(`${name}: FINDING: it crashes or hangs: ${line}`)
    return
  }
  console.log(`${name}: FINDING: it crashed or hung, and none of its last inputs does it alone`)
}

/** The child's exit status; a signal's name if one ended it, and "no answer" if it hung. */
function run(words: readonly string[]): Promise<number | string> {
  const { NODE_V8_COVERAGE: _, ...rest } = process.env
  // Options of this process are not handed on; counts of code from a compile cache are less precise.
  const env = { ...rest, NODE_OPTIONS: "", NODE_DISABLE_COMPILE_CACHE: "1" }
  const child = fork(join(import.meta.dirname, "explore-reader.ts"), words, {
    env,
    execArgv: [`--max-old-space-size=${HEAP_MIB}`],
  })
  return new Promise((resolve) => {
    let timer = setTimeout(onHang, HANG_MS)
    function onHang() {
      child.kill("SIGKILL")
      resolve("no answer")
    }
    child.on("message", (count: Partial<typeof figures>) => {
      figures.search += count.search ?? 0
      figures.judge += count.judge ?? 0
      clearTimeout(timer)
      timer = setTimeout(onHang, HANG_MS)
    })
    child.once("exit", (code, signal) => {
      clearTimeout(timer)
      resolve(code ?? signal ?? "no status")
    })
  })
}
