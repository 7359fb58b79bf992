// Runs the tests of every promise of docs/THREAT_MODEL.md and the programs beside them, and writes their figures into
// docs/ASSURANCE.md. It fails for every test that failed, or that a claim names and that did not run.
// npm run assure -- --tier commit   short forms, about as long as npm test
// npm run assure -- --tier deep     long forms
// npm run assure -- --tier release  long forms, and the sweep of every byte
import { execFileSync, spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, cpus } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { claimsOf, explainedIn } from "./assure/claims.ts"
import { figuresOf, type Measured, sectionOf, withSection } from "./assure/figures.ts"
import { TapResults } from "./assure/tap-results.ts"
import { LONG_FORM, type Program, PROGRAMS, type Tier, TIERS } from "./assure/tiers.ts"
import { counted } from "../signer/core/counted.ts"
import { ROOT, TOOLS } from "./run.ts"
import { Failures } from "./tap-failures.ts"

const DOCUMENT = join(ROOT, "docs/ASSURANCE.md")

const { values } = parseArgs({ options: { tier: { type: "string", default: "commit" } } })
const tier = TIERS.find((one) => one === values.tier)
if (tier === undefined) {
  console.error(`--tier: unknown tier "${values.tier}"; use one of ${TIERS.join(", ")}`)
  process.exit(2)
}

const startMs = Date.now()
const text = readFileSync(join(ROOT, "docs/THREAT_MODEL.md"), "utf8")
const claims = claimsOf(text)
const results = new TapResults()
const failures = new Failures()
// All files run: any of them may have a test whose title begins with a promise's id.
const isGreen = await run(
  process.execPath,
  ["scripts/test.ts", ...(LONG_FORM.has(tier) ? ["--long"] : [])],
  (part) => {
    results.read(part)
    failures.read(part)
  },
)
for (const line of failures.report()) console.error(line)
const measured: Measured[] = []
for (const program of PROGRAMS) measured.push(await measure(program, tier))
const figures = figuresOf(claims, explainedIn(text), results)
const section = sectionOf(
  {
    tier,
    commit: execFileSync("git", ["rev-parse", "--short=8", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim(),
    day: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}`,
    minutes: Math.round((Date.now() - startMs) / 60_000),
  },
  figures,
  measured,
)
writeFileSync(DOCUMENT, withSection(readFileSync(DOCUMENT, "utf8"), section))
const faults = [
  ...figures.flatMap(({ promises, faults: own }) => own.map((fault) => `${promises[0]}: ${fault}`)),
  ...measured.filter(({ isFault }) => isFault).map(({ command, figure }) => `${command}: ${figure}`),
  ...(isGreen ? [] : ["npm test: a test failed"]),
]
for (const fault of faults) console.error(fault)
console.log(`${DOCUMENT} has the figures; ${counted(faults.length, "fault")}`)
process.exitCode = faults.length === 0 ? 0 : 1

async function measure({ name, from, words, figure }: Program, chosen: Tier): Promise<Measured> {
  const extra = words[chosen] ?? []
  const command = ["npm run", name, ...extra].join(" ")
  if (TIERS.indexOf(chosen) < TIERS.indexOf(from)) return { name, command, figure: "not run", isFault: false }
  let output = ""
  const isDone = await run("npm", ["run", "--silent", name, ...extra], (part) => (output += part))
  const numbers = output.match(figure)?.join("; ") ?? ""
  return {
    name,
    command,
    figure: isDone ? numbers : `failed: ${numbers}`,
    isFault: !isDone || numbers === "",
  }
}

/** True if the program ended with 0. */
function run(program: string, words: readonly string[], onOutput: (part: string) => void): Promise<boolean> {
  const child = spawn(program, words, { cwd: ROOT, env: TOOLS, stdio: ["ignore", "pipe", "ignore"] })
  child.stdout.setEncoding("utf8").on("data", onOutput)
  return new Promise((resolve) => child.once("close", (code) => resolve(code === 0)))
}
