import { spawn } from "node:child_process"
import { open, readFile } from "node:fs/promises"
import type { MemberName } from "./system.ts"

/** A part of the running system that can end by itself. */
export type Member = {
  name: MemberName
  pid: number
  /** How it ended, as words for a sentence. */
  ended: Promise<string>
  stop: () => Promise<void>
  /** The last it wrote, for whoever has to find out why it ended. */
  lastWords: () => Promise<string>
}

/** After this a member that was asked to stop is killed: one that hangs must not hold up the rest. */
const STOP_PATIENCE_MS = 15_000
const LAST_LINES = 20

export type Program = { name: MemberName; file: string; environment: NodeJS.ProcessEnv; logFile: string }

/**
 * Starts one program of the system. It gets its own session, so that Ctrl-C reaches us alone and we stop all
 * in order; if we are killed, it notices by its standard input and ends too.
 */
export async function startProgram({ name, file, environment, logFile }: Program): Promise<Member> {
  const log = await open(logFile, "w", 0o600)
  const child = spawn(process.execPath, [file], {
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
      const kill = setTimeout(() => child.kill("SIGKILL"), STOP_PATIENCE_MS)
      await ended
      clearTimeout(kill)
    },
    lastWords: async () => (await readFile(logFile, "utf8")).trim().split("\n").slice(-LAST_LINES).join("\n"),
  }
}
