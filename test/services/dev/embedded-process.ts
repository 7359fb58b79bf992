import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { join } from "node:path"

const MODULE = join(import.meta.dirname, "../../../services/dev/embedded-postgres.ts")
const SCRIPT = join(import.meta.dirname, "start-embedded.ts")

export type Told = {
  pid: number
  owned: boolean
  connection: { path: string; user: string; database: string }
  told: string[]
  error?: string
}

/** A process of its own that starts a server; `told` is what it says of it. */
export async function startInProcess(
  directory: string,
  module = MODULE,
): Promise<{ child: ChildProcess; told: Told }> {
  const child = spawn(process.execPath, [SCRIPT, module, directory], { stdio: ["ignore", "pipe", "inherit"] })
  const [line] = (await once(createInterface(child.stdout as NodeJS.ReadableStream), "line")) as [string]
  return { child, told: JSON.parse(line) as Told }
}

export async function killHard(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL")
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
}
