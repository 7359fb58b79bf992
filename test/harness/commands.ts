// Command lines of programs of this release, which the tests of one process run in one other process, one after another.
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import type { Socket } from "node:net"
import { join } from "node:path"
import { atEnd } from "./at-end.ts"

export type Ended = { status: number | null; out: string; log: string }

export type CommandLine = {
  /** Path of the program, relative to the top folder. */
  readonly program: string
  readonly words: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** Lines that are typed. */
  readonly input: string
  /** The folder in which it is typed; undefined: that of the test. */
  readonly folder?: string
}

const ROOT = join(import.meta.dirname, "..", "..")

let runner: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * Runs a command line as if its program had been started. A test of what only a start shows (signals, options of Node, a terminal) starts the
 * program: `startCommand`.
 */
export function runCommandLine(line: CommandLine): Promise<Ended> {
  const ended = last.then(() => runNext(line))
  last = ended.catch(() => undefined)
  return ended
}

async function runNext(line: CommandLine): Promise<Ended> {
  const child = (runner ??= startRunner())
  child.ref()
  child.channel?.ref()
  child.send(line)
  const ended = await new Promise<Ended | undefined>((resolve) => {
    child.once("message", resolve as (message: unknown) => void)
    child.once("exit", () => resolve(undefined))
  })
  child.removeAllListeners()
  if (ended === undefined) {
    runner = undefined
    throw new Error(`the process of the commands ended: ${line.program} ${line.words.join(" ")}`)
  }
  child.unref()
  child.channel?.unref()
  return ended
}

function startRunner(): ChildProcess {
  const child = fork(join(import.meta.dirname, "command-process.ts"), [], {
    env: { PATH: process.env["PATH"] },
    execArgv: [],
    // A pipe: the programs' logs write to a file behind the back of the stream that is collected.
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  })
  child.stderr?.on("data", (bytes: Buffer) => process.stderr.write(bytes))
  ;(child.stderr as Socket | null)?.unref()
  atEnd(async () => {
    child.disconnect()
  })
  return child
}

/** Starts the program for one command line. */
export async function startCommand({
  program,
  words,
  environment,
  input,
  folder,
}: CommandLine): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, program), ...words], { env: environment, cwd: folder })
  const read = { out: "", log: "" }
  child.stdout.on("data", (bytes: Buffer) => (read.out += bytes.toString()))
  child.stderr.on("data", (bytes: Buffer) => (read.log += bytes.toString()))
  child.stdin.end(input)
  const [status] = (await once(child, "close")) as [number | null]
  return { status, ...read }
}
