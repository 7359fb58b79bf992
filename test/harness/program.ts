import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

/** Node's lines when it opens a debugger's port, and when it cannot because the port is in use. */
export const DEBUGGER = /Debugger listening|Starting inspector/

const ROOT = join(import.meta.dirname, "..", "..")
const POLL_MS = 10

export type Start = {
  /** Options of Node. */
  options?: readonly string[]
  /** Path of the program, relative to the top folder. */
  file: string
  words?: readonly string[]
  environment?: NodeJS.ProcessEnv
  /** The folder it runs in; the top folder if absent. */
  directory?: string
}

/** One program of the repository as a process, with a data directory of its own. */
export class Program {
  readonly #child
  readonly #directory = mkdtempSync(join(tmpdir(), "cs-program-"))
  #output = ""

  constructor({ options = [], file, words = [], environment = {}, directory = ROOT }: Start) {
    this.#child = spawn(process.execPath, [...options, join(ROOT, file), ...words], {
      cwd: directory,
      env: { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: this.#directory, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on("data", (chunk: Buffer) => (this.#output += chunk.toString()))
  }

  /** Standard output and standard error, as they came. */
  get output(): string {
    return this.#output
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Waits until the output matches. Throws if the process ends before. */
  async until(form: RegExp): Promise<void> {
    while (!form.test(this.#output)) {
      if (this.hasEnded) throw new Error(`the program ended before it printed ${form}:\n${this.#output}`)
      await pause(POLL_MS)
    }
  }

  /** Exit status, once the process has ended and all its output is read; "running" if it prints `up` instead. */
  async endedBefore(up: RegExp): Promise<number | null | "running"> {
    const closed = once(this.#child, "close")
    await this.until(up).catch(() => undefined)
    if (!this.hasEnded) return "running"
    if (!this.#child.stdout.closed) await closed
    return this.#child.exitCode
  }

  async stop(): Promise<void> {
    if (!this.hasEnded) {
      this.#child.kill("SIGKILL")
      await once(this.#child, "exit")
    }
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 5 })
  }
}
