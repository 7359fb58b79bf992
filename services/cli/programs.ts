import { spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants, existsSync } from "node:fs"
import { delimiter, join } from "node:path"
import { NODE_OPTIONS } from "../common/node-options.ts"
import { ExitCode } from "../terminal-client/exit.ts"
import { packageRoot } from "../terminal-client/settings.ts"
import { standardOutput } from "../terminal-client/terminal.ts"

/** Programs of the other trust zones: `countersign signer` runs `countersign-signer`. */
export const PROGRAMS: { readonly [name: string]: string } = {
  node: "services/node/main.ts",
  signer: "signer/operator/main.ts",
  fetcher: "signer/fetcher/main.ts",
}

/** A program to start, with its first words. */
export type Startable = { file: string; words: readonly string[] }

/**
 * The program of this installation; otherwise the first `countersign-NAME` of the directories in `path`, which another
 * installation of this host may have. Undefined: there is none.
 */
export function findProgram(name: string, root: string, path: string): Startable | undefined {
  const own = join(root, PROGRAMS[name] ?? "")
  if (existsSync(own)) return { file: process.execPath, words: [...NODE_OPTIONS, own] }
  const installed = path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, `countersign-${name}`))
    .find(isExecutable)
  return installed === undefined ? undefined : { file: installed, words: [] }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Runs the program in a process of its own, with the same terminal, and returns its exit status. */
export async function runProgram(name: string, words: readonly string[]): Promise<number> {
  const program = findProgram(name, packageRoot, process.env["PATH"] ?? "")
  if (program === undefined) {
    standardOutput.log(`countersign: this host has no countersign-${name}: run it where it is installed`)
    return ExitCode.usage
  }
  const child = spawn(program.file, [...program.words, ...words], { stdio: "inherit" })
  // A terminal sends SIGINT to both, and the program decides when it ends. A service manager may know this process alone.
  process.on("SIGINT", () => undefined)
  process.on("SIGTERM", () => child.kill("SIGTERM"))
  const [code] = (await once(child, "close")) as [number | null]
  return code ?? ExitCode.fault
}
