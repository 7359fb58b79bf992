import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { runCommandLine } from "./commands.ts"
import { freePort } from "./free-port.ts"
import { patienceMs } from "./patience.ts"

const ROOT = join(import.meta.dirname, "..", "..")
const MAIN = join(ROOT, "signer", "witness", "main.ts")

/** A witness as a process of its own, with its own folder. It may be killed and started again. */
export class WitnessProcess {
  readonly directory = mkdtempSync(join(tmpdir(), "cs-witness-"))
  readonly url: string
  key = ""
  readonly #environment: NodeJS.ProcessEnv
  #child: ChildProcess | undefined

  private constructor(port: number, name: string) {
    this.url = `http://127.0.0.1:${port}/`
    this.#environment = {
      PATH: process.env["PATH"],
      COUNTERSIGN_DATA_DIR: this.directory,
      COUNTERSIGN_WITNESS_LISTEN: `127.0.0.1:${port}`,
      COUNTERSIGN_WITNESS_NAME: name,
    }
  }

  /** Makes key and store of a witness, and starts nothing. */
  static async init(name: string): Promise<WitnessProcess> {
    const witness = new WitnessProcess(await freePort(), name)
    const line = { program: "signer/witness/main.ts", words: ["init"], input: "" }
    const { status, out, log } = await runCommandLine({ ...line, environment: witness.#environment })
    if (status !== 0) throw new Error(log)
    witness.key = out.trim()
    return witness
  }

  get logsFile(): string {
    return join(this.directory, "witness", "logs")
  }

  /** The output of a command. @throws when it fails, with its standard error */
  run(...words: string[]): string {
    return execFileSync(process.execPath, [MAIN, ...words], {
      env: this.#environment,
      encoding: "utf8",
      stdio: "pipe",
    })
  }

  /** @param logKeys keys of the logs that it may cosign */
  async start(...logKeys: string[]): Promise<void> {
    writeFileSync(this.logsFile, logKeys.map((key) => `${key}\n`).join(""))
    const log = openSync(join(this.directory, "log"), "a", 0o600)
    const child = spawn(process.execPath, [MAIN, "serve"], {
      env: { ...this.#environment, COUNTERSIGN_EXIT_WITH_PARENT: "1" },
      stdio: ["pipe", log, log],
    })
    this.#child = child
    const giveUp = performance.now() + patienceMs(30_000)
    while (!(await this.#answers())) {
      if (child.exitCode !== null || performance.now() > giveUp) throw new Error(`no witness: ${this.log()}`)
      await pause(25)
    }
  }

  log(): string {
    return readFileSync(join(this.directory, "log"), "utf8")
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, "exit")
    child.kill(signal)
    await gone
  }

  async close(): Promise<void> {
    await this.kill()
    rmSync(this.directory, { recursive: true, force: true })
  }

  async #answers(): Promise<boolean> {
    return fetch(this.url).then(
      (reply) => reply.status === 404,
      () => false,
    )
  }
}
