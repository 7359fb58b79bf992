import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ChannelCredentials, credentials } from "@grpc/grpc-js"
import { FetcherService } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { clientFor, type RpcClient } from "../../proto/grpc-client.ts"
import { patienceMs } from "./patience.ts"

const MAIN = "signer/fetcher/main.ts"
const DEADLINE_MS = patienceMs(30_000)

/** The fetcher as it runs in production: a process of its own, with a seed of its own. */
export class RunningFetcher {
  readonly directory = mkdtempSync(join(tmpdir(), "cs-fetcher-"))
  #process: ChildProcess | undefined
  #log = ""

  /** The fetcher's public key set. Creates its seed if there is none yet, as an operator does before pairing. */
  async publicKey(): Promise<string> {
    const child = this.#spawn([this.#isNew ? "init" : "public-key"], {})
    let printed = ""
    child.stdout!.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    const [code] = (await once(child, "close")) as [number]
    if (code !== 0) throw new Error(`public-key ended with ${code}: ${this.#log}`)
    return printed.trim()
  }

  /** @param environment settings without their prefix */
  async start(environment: { [name: string]: string } = {}): Promise<void> {
    const child = this.#spawn(this.#isNew ? ["serve", "--init"] : ["serve"], environment)
    this.#process = child
    const began = this.#log.length
    await new Promise<void>((resolve, reject) => {
      child.stderr!.on("data", () => {
        if (this.#log.slice(began).includes("fetcher is up")) resolve()
      })
      child.once("exit", (code) => reject(new Error(`the fetcher ended with ${code}: ${this.#log}`)))
    })
  }

  get log(): string {
    return this.#log
  }

  get socket(): string {
    return join(this.directory, "fetcher", "fetcher.sock")
  }

  get publicKeyFile(): string {
    return readFileSync(join(this.directory, "fetcher", "public-key"), "utf8").trim()
  }

  client(
    address = `unix:${this.socket}`,
    channel: ChannelCredentials = credentials.createInsecure(),
  ): RpcClient<typeof FetcherService> {
    return clientFor(FetcherService, { address, credentials: channel, deadlineMs: DEADLINE_MS })
  }

  /** kill -9, as in a power failure. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL")
  }

  async stop(): Promise<void> {
    await this.#end("SIGTERM")
    rmSync(this.directory, { recursive: true, force: true })
  }

  get #isNew(): boolean {
    return !existsSync(join(this.directory, "fetcher", "seed"))
  }

  #spawn(words: readonly string[], environment: { [name: string]: string }): ChildProcess {
    const settings = Object.entries(environment).map(([name, value]) => [
      `COUNTERSIGN_FETCHER_${name}`,
      value,
    ])
    const child = spawn(process.execPath, [MAIN, ...words], {
      env: {
        PATH: process.env["PATH"],
        COUNTERSIGN_DATA_DIR: this.directory,
        ...(Object.fromEntries(settings) as { [name: string]: string }),
      },
      stdio: ["ignore", "pipe", "pipe"],
    })
    child.stderr.on("data", (chunk: Buffer) => (this.#log += chunk.toString()))
    return child
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#process
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const gone = once(running, "exit")
    running.kill(signal)
    await gone
  }
}
