import { spawn } from "node:child_process"
import { open, readFile } from "node:fs/promises"
import { servingOptionsOf } from "./layout.ts"

export type SystemProcessName = "auth-proxy" | "worker" | "api" | "fetcher" | "signer" | "database"

/** One process of the development system. */
export type SystemProcess = {
  name: SystemProcessName
  pid: number
  /** Resolves with the exit status or signal, as text. */
  ended: Promise<string>
  stop: () => Promise<void>
  /** Ends the process at once. */
  kill: () => void
  /** The last lines of its log. */
  logTail: () => Promise<string[]>
}

/** A process that has not stopped after this time is killed. */
const STOP_TIMEOUT_MS = 15_000
const LOG_TAIL_LINES = 20

export type DevProgram = {
  name: SystemProcessName
  file: string
  words?: readonly string[]
  environment: NodeJS.ProcessEnv
  logFile: string
}

/**
 * Starts one program in its own session, so that Ctrl-C reaches only `dev`, which stops all in order. If `dev` is killed,
 * the program exits when its standard input closes.
 */
export async function startProgram(program: DevProgram): Promise<SystemProcess> {
  const { name, file, words = [], environment, logFile } = program
  const log = await open(logFile, "w", 0o600)
  const child = spawn(process.execPath, [...servingOptionsOf(name), file, ...words], {
    detached: true,
    env: { ...environment, COUNTERSIGN_EXIT_WITH_PARENT: "1" },
    stdio: ["pipe", log.fd, log.fd],
  })
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message))
    child.once("exit", (status, signal) => resolve(signal ?? `status ${status}`))
  })
  child.stdin?.on("error", () => undefined)
  await log.close()
  return {
    name,
    pid: child.pid ?? 0,
    ended,
    stop: async () => {
      child.kill("SIGTERM")
      const kill = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS)
      await ended
      clearTimeout(kill)
    },
    kill: () => void child.kill("SIGKILL"),
    logTail: async () => {
      const content = (await readFile(logFile, "utf8")).trim()
      return content === "" ? [] : content.split("\n").slice(-LOG_TAIL_LINES)
    },
  }
}
