import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseEnv } from "node:util"
import type { Test } from "tap"
import { packageRoot } from "../../../services/terminal-client/settings.ts"

export type Ended = { status: number | null; signal: NodeJS.Signals | null; out: string[]; log: string[] }

/** `countersign dev` as a process, on a data directory and a port of its own. */
export type DevProcess = {
  process: ChildProcess
  /** Its lines on standard output, once the last begins with Ready. */
  ready(): Promise<string[]>
  /** Its lines on standard error so far. */
  log(): string[]
  ended: Promise<Ended>
  /** Process ids of the members by name, from the lock file. */
  members(): Map<string, number>
}

/** Ports of the system's choice, for every host that listens. */
export const ANY_PORTS = {
  COUNTERSIGN_API_LISTEN: "localhost:0",
  COUNTERSIGN_AUTH_PROXY_LISTEN: "localhost:0",
  COUNTERSIGN_DASHBOARD_LISTEN: "localhost:0",
  COUNTERSIGN_WORKER_LISTEN: "localhost:0",
}

/**
 * Short, because sockets lie below it. The user PostgreSQL runs as under root passes through it: else the database would lie
 * under /var/lib, and stay there.
 */
export function dataDirectory(t: Pick<Test, "teardown">): string {
  const directory = mkdtempSync(join(tmpdir(), "cs-dev-"))
  chmodSync(directory, 0o711)
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, "data")
}

type Command = readonly [program: string, ...words: string[]]

const COUNTERSIGN_DEV: Command = [process.execPath, join(packageRoot, "services/cli/main.ts"), "dev"]
/** Starts the same, and prints nothing itself. */
export const NPM_START: Command = ["npm", "start", "--silent", "--"]

export function startDev(
  t: Pick<Test, "teardown">,
  directory: string,
  words: string[] = [],
  more: NodeJS.ProcessEnv = {},
  [program, ...first] = COUNTERSIGN_DEV,
): DevProcess {
  const child = spawn(program, [...first, ...words], {
    env: { ...devEnvironment(directory), ...ANY_PORTS, ...more },
    cwd: packageRoot,
    stdio: ["ignore", "pipe", "pipe"],
  })
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGTERM")
    await once(child, "exit")
  })
  const out = collect(child.stdout)
  const log = collect(child.stderr)
  const ended = once(child, "close").then(
    ([status, signal]): Ended => ({ status, signal, out: out.lines(), log: log.lines() }),
  )
  return {
    process: child,
    ended,
    log: log.lines,
    async ready() {
      for (;;) {
        if (out.lines().some((line) => line.startsWith("Ready"))) return out.lines()
        if (child.exitCode !== null) throw new Error(`dev ended: ${log.lines().join("\n")}`)
        await pause(20)
      }
    },
    members: () => membersOf(directory),
  }
}

/** Process id of `countersign dev`, from the lock file. */
export function pidOfDev(directory: string): number {
  return Number.parseInt(readFileSync(join(directory, "dev.lock"), "utf8"), 10)
}

/** Process ids by name. */
export function membersOf(directory: string): Map<string, number> {
  const lines = readFileSync(join(directory, "dev.lock"), "utf8").trim().split("\n").slice(1)
  return new Map(lines.map((line) => [line.split(" ")[1] ?? "", Number.parseInt(line, 10)]))
}

/** Runs another program of the repository against it. */
export async function runProgram(directory: string, file: string, ...words: string[]) {
  return runWithInput(directory, "", file, ...words)
}

/** The same, with a text on standard input. */
export async function runWithInput(directory: string, input: string, file: string, ...words: string[]) {
  const child = spawn(process.execPath, [join(packageRoot, file), ...words], {
    env: devEnvironment(directory),
  })
  child.stdin.end(input)
  const out = collect(child.stdout)
  const log = collect(child.stderr)
  const [status] = await once(child, "close")
  return { status, out: out.lines().join("\n"), log: log.lines().join("\n") }
}

/** Starts a program that runs until it is stopped. */
export function startProgram(t: Pick<Test, "teardown">, directory: string, file: string, ...words: string[]) {
  const child = spawn(process.execPath, [join(packageRoot, file), ...words], {
    env: devEnvironment(directory),
    stdio: ["ignore", "pipe", "pipe"],
  })
  t.teardown(() => child.kill("SIGKILL"))
  const said = { out: "", log: "" }
  child.stdout.on("data", (chunk: Buffer) => (said.out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (said.log += chunk.toString()))
  const closed = once(child, "close") as Promise<[status: number | null]>
  return {
    /** Its output, once the condition holds. */
    async until(holds: (output: typeof said) => boolean) {
      while (!holds(said)) {
        if (child.exitCode !== null) throw new Error(`the program ended: ${said.log}`)
        await pause(20)
      }
      return said
    },
    /** Its exit status after SIGINT. */
    async interrupt(): Promise<number | null> {
      child.kill("SIGINT")
      return (await closed)[0]
    },
  }
}

/** Runs the command line at a pseudo-terminal. Once it shows the question, the answer is typed. */
export async function runAtTerminal(
  directory: string,
  { question, answer }: { question: string; answer: string },
  ...words: string[]
) {
  const line = [process.execPath, join(packageRoot, "services/cli/main.ts"), ...words]
    .map((word) => `'${word}'`)
    .join(" ")
  const child = spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], {
    env: devEnvironment(directory),
  })
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString()
    if (text.includes(question) && !child.stdin.writableEnded) child.stdin.end(`${answer}\r`)
  })
  const [status] = (await once(child, "close")) as [number | null]
  return { status, text: text.replaceAll("\r", "") }
}

/** Environment without the settings of the process that runs the tests. */
export function devEnvironment(directory: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(COUNTERSIGN_|DATABASE_URL$)/.test(name))
  return { ...Object.fromEntries(kept), COUNTERSIGN_DATA_DIR: directory }
}

export function readEnvFile(directory: string): NodeJS.Dict<string> {
  return parseEnv(readFileSync(join(directory, ".env.local"), "utf8"))
}

export async function untilGone(pids: Iterable<number>): Promise<void> {
  for (const pid of pids) while (isAlive(pid)) await pause(20)
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function collect(stream: NodeJS.ReadableStream) {
  let text = ""
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString()
  })
  return { lines: () => text.split("\n").filter((line) => line !== "") }
}
