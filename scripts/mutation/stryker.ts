import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { ROOT, TOOLS } from "../run.ts"
import type { Room } from "./rooms.ts"

/** One change of one file. `original`: the source it replaces. */
export type Mutant = {
  file: string
  line: number
  column: number
  mutator: string
  original: string
  replacement: string
  status: Status
}

const STATUSES = [
  "Killed",
  "Timeout",
  "Survived",
  "NoCoverage",
  "RuntimeError",
  "CompileError",
  "Ignored",
] as const
type Status = (typeof STATUSES)[number]

const position = z.object({ line: z.number(), column: z.number() })

/** The parts of mutation-testing-report-schema that are read. */
const report = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          mutatorName: z.string(),
          replacement: z.string().default(""),
          location: z.object({ start: position, end: position }),
          status: z.enum(STATUSES),
        }),
      ),
    }),
  ),
})

/** Mutates a room and runs its tests. @throws Error when Stryker fails, such as when a test fails without a mutant */
export async function mutantsOf(room: Room, concurrency: number): Promise<Mutant[]> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-mutation-"))
  try {
    const output = join(folder, "report.json")
    const settings = join(folder, "settings.json")
    writeFileSync(settings, JSON.stringify(settingsOf(room, concurrency, output, folder)))
    const code = await run(settings, join(folder, "compiled"))
    if (code !== 0) throw new Error(`stryker ended with ${code}`)
    return read(readFileSync(output, "utf8"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function settingsOf(
  { mutate, tests, isThreaded }: Room,
  concurrency: number,
  output: string,
  folder: string,
) {
  return {
    packageManager: "npm",
    plugins: ["ignore-sentences", "runner"].map((name) => join(ROOT, `scripts/mutation/${name}.mjs`)),
    testRunner: "in-process",
    inProcess: { testFiles: tests },
    // Modules are never freed.
    maxTestRunnerReuse: 40,
    coverageAnalysis: isThreaded ? "off" : "perTest",
    mutate,
    ignorers: ["sentences"],
    ignorePatterns: ["bench", "coverage", ".tap", ".countersign", "dist"],
    disableTypeChecks: false,
    // No file of this name: Stryker would rewrite tsconfig.json with an interface that TypeScript 7 lacks.
    tsconfigFile: "none",
    checkers: [],
    concurrency,
    // Long: on a busy machine a slow run must not count as a noticed change. Endless loops end by their count.
    timeoutMS: 90_000,
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: output },
    tempDirName: join(folder, "sandboxes"),
    allowConsoleColors: false,
    fileLogLevel: "off",
  }
}

function run(settings: string, compiled: string): Promise<number | null> {
  const child = spawn("stryker", ["run", settings], {
    cwd: ROOT,
    // Every run loads the same modules. A process may live for a day: by itself tap would end it after 30 s.
    env: { ...TOOLS, NODE_COMPILE_CACHE: compiled, TAP_TIMEOUT: "86400" },
    stdio: "inherit",
  })
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
}

/** Mutants in the order of their files and places, without those that were ignored. */
function read(text: string): Mutant[] {
  const { files } = report.parse(JSON.parse(text))
  return Object.entries(files)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([file, { source, mutants }]) => {
      const lines = source.split("\n")
      return mutants
        .filter(({ status }) => status !== "Ignored")
        .map(({ mutatorName, replacement, location: { start, end }, status }) => ({
          file,
          ...start,
          mutator: mutatorName,
          original: between(lines, start, end),
          replacement,
          status,
        }))
        .toSorted((one, other) => one.line - other.line || one.column - other.column)
    })
}

type Position = z.infer<typeof position>

/** The source between two places; lines and columns count from 1. */
function between(lines: readonly string[], start: Position, end: Position): string {
  const text = lines.slice(start.line - 1, end.line)
  const last = text.length - 1
  text[last] = text[last]?.slice(0, end.column - 1) ?? ""
  text[0] = text[0]?.slice(start.column - 1) ?? ""
  return text.join("\n")
}
