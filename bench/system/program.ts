import { spawn } from "node:child_process"
import { open, readFile } from "node:fs/promises"
import { join } from "node:path"

const ROOT = join(import.meta.dirname, "..", "..")

/** One process of the system under measurement. */
export type MeasuredProgram = {
  pid: number
  /** Undefined while it runs; then its exit status and output. */
  fault(): Promise<string | undefined>
  stop(): Promise<void>
}

export type ProgramStart = {
  file: string
  words?: readonly string[]
  environment: Record<string, string>
  logFile: string
  /** Directory for a CPU profile, written when it stops. */
  profileTo?: string | undefined
}

/** Starts a program with only PATH from this environment, so that local settings have no effect. */
export async function startProgram(start: ProgramStart): Promise<MeasuredProgram> {
  const { file, words = [], environment, logFile, profileTo } = start
  const log = await open(logFile, "w", 0o600)
  const flags = profileTo === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileTo}`]
  const child = spawn(process.execPath, [...flags, join(ROOT, file), ...words], {
    env: { PATH: process.env["PATH"] ?? "", COUNTERSIGN_EXIT_WITH_PARENT: "1", ...environment },
    detached: true, // Ctrl-C reaches us alone, and we stop all in order
    stdio: ["pipe", log.fd, log.fd],
  })
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message))
    child.once("exit", (status, signal) => resolve(signal ?? `status ${status}`))
  })
  child.stdin?.on("error", () => undefined)
  await log.close()
  return {
    pid: child.pid ?? 0,
    async fault() {
      if (child.exitCode === null && child.signalCode === null) return undefined
      return `${file} ended (${await ended}): ${(await readFile(logFile, "utf8")).slice(-2000)}`
    },
    async stop() {
      child.kill("SIGTERM")
      const kill = setTimeout(() => child.kill("SIGKILL"), 10_000)
      await ended
      clearTimeout(kill)
    },
  }
}
