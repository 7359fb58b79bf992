// One reader in a process of its own, for main.ts: V8 counts the whole process, and a crash or a hang ends this one alone.
// explore-reader.ts READER seed           begins the corpus of this machine
// explore-reader.ts READER search BATCH-FILE MINUTES SEED INPUTS
// explore-reader.ts READER judge BATCH-FILE MINUTES SEED INPUTS
// explore-reader.ts READER keep           writes the smallest covering corpus to the repository
// explore-reader.ts READER one LINE       reads and judges the input of a line
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { counted } from "../../signer/core/counted.ts"
import { faultOf, type Finding } from "./engine/attempt.ts"
import { pack } from "./engine/batch-file.ts"
import { smallestCover } from "./engine/cover.ts"
import { Coverage } from "./engine/coverage.ts"
import { judge } from "./engine/judge.ts"
import {
  grownFile,
  inputOf,
  keepFinding,
  keptFile,
  lineOf,
  readInputs,
  writeInputs,
} from "./engine/kept-inputs.ts"
import { wordsOf } from "./engine/mutate.ts"
import { type RunOptions, search } from "./engine/search.ts"
import { entryOf, judgedReader } from "./readers/index.ts"

/** A reader with a larger process keeps what it reads, or reads more than it is given. */
const MAX_RSS_MIB = 1_024
/** Bytes of one reader's corpus in the repository. */
const MAX_KEPT_BYTES = 12_000

const [name = "", mode = "", batchFile = "", minutes = "", seed = "", inputs = ""] = process.argv.slice(2)
const entry = entryOf(name)
const { guides, reads } = entry
const faults: string[] = []

// Before the reader's files are loaded: those that are loaded before are not counted.
const coverage = mode === "search" || mode === "keep" ? new Coverage(guides) : undefined
const reader = await (coverage === undefined ? judgedReader(entry) : entry.load())

/** The reader's own seeds, those of a judge where it is loaded, and what was kept. */
function corpus(): Buffer[] {
  const seeds = Array.from(reader.seeds?.() ?? [], (one) => Buffer.from(one))
  return [...readInputs(keptFile(name)), ...readInputs(grownFile(name)), ...seeds]
}

function options(begin: readonly Buffer[]): RunOptions {
  const sources = guides
    .filter((guide) => guide.endsWith(".ts"))
    .map((guide) => readFileSync(join(import.meta.dirname, "..", "..", guide), "utf8"))
  let saidMs = 0
  return {
    seed: Number(seed),
    inputs: Number(inputs),
    endMs: Date.now() + Number(minutes) * 60_000,
    begin,
    words: wordsOf(begin, sources),
    onBatch(batch) {
      writeFileSync(batchFile, pack(batch))
      if (Date.now() - saidMs < 1_000) return
      saidMs = Date.now()
      process.send?.({})
    },
  }
}

function rateOf(count: number, startMs: number): string {
  return `${Math.round((count * 1_000) / (Date.now() - startMs))} a second`
}

function noteFindings(findings: readonly Finding[]): void {
  for (const { input, error } of findings) {
    keepFinding(name, input)
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    faults.push(`FINDING: ${text}\n  ${lineOf(input)}`)
  }
}

const startMs = Date.now()
if (mode === "one") {
  const fault = faultOf(reader, inputOf(batchFile))
  if (fault !== undefined) faults.push(String(fault.error))
} else if (mode === "seed") {
  if (readInputs(grownFile(name)).length === 0) writeInputs(grownFile(name), corpus())
} else if (mode === "judge") {
  const { inputs: count, accepted, findings } = judge(reader, options(corpus()))
  noteFindings(findings)
  process.send?.({ judge: count })
  console.log(`${name}: ${count} inputs judged, ${rateOf(count, startMs)}, ${accepted} accepted`)
} else if (coverage !== undefined) {
  if (mode === "keep") writeInputs(keptFile(name), fitting(smallestCover(reader, coverage, corpus())))
  else {
    const { inputs: count, covered, corpus: found, findings } = search(reader, coverage, options(corpus()))
    process.send?.({ search: count })
    noteFindings(findings)
    writeInputs(grownFile(name), found)
    for (const [file, functions] of Object.entries(reads)) {
      const called = coverage.calledFunctions(file)
      faults.push(
        ...functions.filter((one) => !called.has(one)).map((one) => `${file}: ${one} was never called`),
      )
    }
    const blocks = `${covered} of ${coverage.blocks} blocks`
    console.log(
      `${name}: ${count} inputs searched, ${rateOf(count, startMs)}, ${blocks}, corpus ${found.length}`,
    )
  }
}

const rssMib = Math.round(process.resourceUsage().maxRSS / 1_024)
if (rssMib > MAX_RSS_MIB) faults.push(`the process had ${rssMib} MiB, more than ${MAX_RSS_MIB}`)
for (const fault of faults) console.log(`${name}: ${fault}`)
if (faults.length > 0) console.log(`${name}: ${counted(faults.length, "fault")}`)
process.exit(faults.length === 0 ? 0 : 1)

/** The first inputs that have room in the repository. */
function fitting(all: readonly Buffer[]): Buffer[] {
  let left = MAX_KEPT_BYTES
  return all.filter((input) => (left -= lineOf(input).length + 1) >= 0)
}
