import { execFile, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import type { Test } from "tap"
import { freePort } from "./free-port.ts"
import { patienceMs } from "./patience.ts"
import type { Host } from "./system.ts"

const ROOT = join(import.meta.dirname, "..", "..")
const RESOLVER = pathToFileURL(join(import.meta.dirname, "host-names.ts")).href
const NAMES = "signer.internal=127.0.0.2,fetcher.internal=127.0.0.2"
const DEADLINE_MS = Math.ceil(patienceMs(120_000))

/** Eight words, by which lines are compared. */
export const WORDS = /\b[a-z]+(?:-[a-z]+){7}\b/

/** True if the machine has util-linux's `script`, which gives a command a terminal. */
export const hasTerminal = spawnSync("script", ["--version"]).status === 0

export type Ended = { status: number; out: string; log: string }

export const found = (form: RegExp, text: string): string => form.exec(text)?.[0] ?? ""

/** Hosts with nothing in common: each is a data directory, and runs the installed commands as the documents write them. */
export class JoiningHosts {
  readonly signerPort: number
  readonly fetcherPort: number
  readonly #home = mkdtempSync(join(tmpdir(), "cs-join-"))

  private constructor(signerPort: number, fetcherPort: number) {
    this.signerPort = signerPort
    this.fetcherPort = fetcherPort
  }

  static async create(t: Pick<Test, "teardown">, ...names: string[]): Promise<JoiningHosts> {
    const hosts = new JoiningHosts(await freePort(), await freePort())
    t.teardown(() => rmSync(hosts.#home, { recursive: true, force: true, maxRetries: 5 }))
    for (const name of [...names, "bin"]) mkdirSync(hosts.directoryOf(name), { mode: 0o700 })
    // Starts installed programs, without npm's start of most of a second.
    const npx = join(hosts.directoryOf("bin"), "npx")
    writeFileSync(npx, `#!/bin/sh\nexec "$@"\n`)
    chmodSync(npx, 0o755)
    return hosts
  }

  directoryOf(host: string): string {
    return join(this.#home, host)
  }

  environmentOf(host: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    const path = [this.directoryOf("bin"), join(ROOT, "node_modules", ".bin"), process.env["PATH"]]
    return {
      PATH: path.join(delimiter),
      COUNTERSIGN_DATA_DIR: this.directoryOf(host),
      NODE_OPTIONS: `--import=${RESOLVER}`,
      TEST_HOSTS: NAMES,
      ...more,
    }
  }

  /** A host for a system of processes, with these settings. */
  systemHost(name: string, settings: NodeJS.ProcessEnv): Host {
    const options = ["--disable-sigusr1", `--import=${RESOLVER}`]
    return { directory: this.directoryOf(name), environment: { ...settings, TEST_HOSTS: NAMES }, options }
  }

  /** Runs a command line without a terminal. The documents' ports stand for those of the test. */
  async run(host: string, script: string, more: NodeJS.ProcessEnv = {}): Promise<Ended> {
    const text = script.replaceAll(":7443", `:${this.signerPort}`).replaceAll(":7444", `:${this.fetcherPort}`)
    try {
      const options = { env: this.environmentOf(host, more), cwd: this.#home }
      const { stdout, stderr } = await promisify(execFile)("bash", ["--norc", "-euc", text], options)
      return { status: 0, out: stdout.trim(), log: stderr.trim() }
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { status: code, out: stdout.trim(), log: stderr.trim() }
    }
  }

  /** Runs a command line at a terminal, types a reply, and returns what the terminal showed and the exit status. */
  async runAtTerminal(host: string, script: string, reply: string, more: NodeJS.ProcessEnv): Promise<string> {
    const words = ["-qec", `bash --norc -euc '${script.trim()}'`, "/dev/null"]
    const options = { env: this.environmentOf(host, more), cwd: this.#home, timeout: DEADLINE_MS }
    const child = spawn("script", words, options)
    let shown = ""
    let isAsked = false
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        shown += chunk.toString()
        if (isAsked || !shown.includes("[y/N]")) return
        isAsked = true
        child.stdin.end(`${reply}\n`)
      })
    const [status] = (await once(child, "close")) as [number]
    return `${shown}\nstatus ${status}`
  }

  /** The signer's answer to a request, with the words that its host shows. */
  answerTo(name: string, line: string, words: string): Promise<Ended> {
    const settings = { NAME: name, REQUEST: line, WORDS: words }
    const script = 'npx countersign-signer pair "$NAME" --join "$REQUEST" --words "$WORDS"'
    return this.run("signer", script, settings)
  }

  /** Asks again for the certificate of a host's API, issues and installs it. */
  async renew(host: string): Promise<Ended> {
    const asked = await this.run(host, "npx countersign-node join api --renew")
    const { out } = await this.answerTo("api", asked.out, found(WORDS, asked.log))
    return this.run(host, 'npx countersign-node join api --answer "$ANSWER" --json', { ANSWER: out })
  }
}
