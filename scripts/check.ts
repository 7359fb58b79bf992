// Runs every check that is not a test, and reports all faults.
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { importCyclesIn } from "./import-cycles.ts"
import { brokenPromises } from "./promises.ts"
import { type Finished, ROOT, run } from "./run.ts"

type Check = { name: string; fails: () => Promise<string | undefined> }

// Files that git ignores are not sources.
const GIT_IGNORED = ["--vcs-enabled=true", "--vcs-client-kind=git", "--vcs-use-ignore-file=true"]

const checks: Check[] = [
  { name: "types", fails: () => complaint(run("tsc", ["-p", "."])) },
  { name: "lint", fails: () => complaint(run("oxlint", ["--type-aware", "--deny-warnings"])) },
  { name: "format", fails: () => complaint(run("biome", ["format", ...GIT_IGNORED, "."])) },
  { name: "proto lint", fails: () => complaint(run("buf", ["lint"])) },
  { name: "proto format", fails: () => complaint(run("buf", ["format", "--diff", "--exit-code"])) },
  { name: "generated code", fails: staleGeneratedCode },
  { name: "proto breaking", fails: () => brokenPromises() },
  { name: "import cycles", fails: async () => importCyclesIn(ROOT).join("\n") || undefined },
  { name: "lock file", fails: lockedToARegistry },
]

/** Checks at a time: half of them use one core for most of their time. */
const AT_A_TIME = 2

type Outcome = { fault: string | undefined; seconds: string }

const outcomes = checks.map(() => Promise.withResolvers<Outcome>())
const queue = checks.entries()
for (let lane = 0; lane < AT_A_TIME; lane++) void runQueue()

// Outcomes are printed in the order of the checks, each once those before it have ended.
let failing = 0
for (const [index, { name }] of checks.entries()) {
  const { fault, seconds } = await outcomes[index]!.promise
  console.log(`${fault === undefined ? "ok   " : "FAULT"} ${name} (${seconds} s)`)
  if (fault === undefined) continue
  failing += 1
  console.log(fault.trimEnd())
}
console.log(failing === 0 ? `all ${checks.length} checks pass` : `${failing} of ${checks.length} checks fail`)
process.exitCode = failing === 0 ? 0 : 1

/** Runs the next check of the queue until there is none. If a check throws, the error is its fault. */
async function runQueue(): Promise<void> {
  for (const [index, { fails }] of queue) {
    const start = performance.now()
    const fault = await fails().catch(String)
    outcomes[index]!.resolve({ fault, seconds: ((performance.now() - start) / 1000).toFixed(1) })
  }
}

/** Output of a failing command. */
async function complaint(finished: Promise<Finished>): Promise<string | undefined> {
  const { code, output } = await finished
  return code === 0 ? undefined : output || `ended with code ${code}`
}

async function staleGeneratedCode(): Promise<string | undefined> {
  return inTemporaryFolder(async (folder) => {
    const failure = await complaint(run("buf", ["generate", "--output", folder]))
    if (failure !== undefined) return failure
    const [fresh, committed] = await Promise.all([
      readTree(join(folder, "proto", "gen")),
      readTree(join(ROOT, "proto", "gen")),
    ])
    const names = [...new Set([...fresh.keys(), ...committed.keys()])].toSorted()
    const stale = names
      .filter((name) => fresh.get(name) !== committed.get(name))
      .map((name) => `proto/gen/${name}`)
    // The generators read proto/gen: while it is stale, so is what they write.
    if (stale.length === 0) {
      const { generatedFiles } = await import("./generators/files.ts")
      for (const [path, text] of await generatedFiles()) {
        if (text !== (await readFile(join(ROOT, path), "utf8").catch(() => ""))) stale.push(path)
      }
    }
    if (stale.length === 0) return undefined
    return `run \`npm run generate\`: these files are not what proto/ declares:\n  ${stale.join("\n  ")}`
  })
}

async function lockedToARegistry(): Promise<string | undefined> {
  const lock = await readFile(join(ROOT, "package-lock.json"), "utf8")
  const lines = lock.split("\n").flatMap((line, index) => (line.includes('"resolved"') ? [index + 1] : []))
  if (lines.length === 0) return undefined
  return `package-lock.json names download addresses (first on line ${lines[0]}): it must work with any registry`
}

async function readTree(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    await Promise.all(
      files.map(async (file) => [file.slice(folder.length + 1), await readFile(file, "utf8")] as const),
    ),
  )
}

async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-check-"))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
