import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { ExitCode } from "./exit.ts"
import { packageRoot } from "./settings.ts"
import { standardOutput } from "./terminal.ts"

/** Programs of the other trust zones: `countersign signer` runs `countersign-signer`. */
export const PROGRAMS: { readonly [name: string]: string } = {
  node: "services/node/main.ts",
  signer: "signer/operator/main.ts",
  fetcher: "signer/fetcher/main.ts",
}

/** Runs the program in a process of its own, with the same terminal, and returns its exit status. */
export async function runProgram(name: string, words: readonly string[]): Promise<number> {
  const file = join(packageRoot, PROGRAMS[name] ?? "")
  if (!existsSync(file)) {
    standardOutput.log(`countersign: this host has no countersign-${name}: run it where it is installed`)
    return ExitCode.usage
  }
  const child = spawn(process.execPath, ["--disable-sigusr1", file, ...words], { stdio: "inherit" })
  // A terminal sends SIGINT to both, and the program decides when it ends. A service manager may know this process alone.
  process.on("SIGINT", () => undefined)
  process.on("SIGTERM", () => child.kill("SIGTERM"))
  const [code] = (await once(child, "close")) as [number | null]
  return code ?? ExitCode.fault
}
