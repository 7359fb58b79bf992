import { createPrivateKey } from "node:crypto"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Test } from "tap"
import { tlsFaultOf } from "../../../../signer/core/crypto/certificate.ts"
import { writeAnswer } from "../../../../signer/core/join/answer.ts"
import { readRequest } from "../../../../signer/core/join/request.ts"
import { type JoinCommand, runJoin } from "../../../../signer/core/join/run.ts"
import { CertificateAuthority } from "../../../../signer/operator/authority/authority.ts"
import { newTlsKey } from "../../../../signer/process/tls-key.ts"

export const SERVERS = [{ name: "signer", address: "signer.internal:7443" }] as const

function folder(t: Test): string {
  const path = fs.mkdtempSync(join(tmpdir(), "cs-join-"))
  t.teardown(() => fs.rmSync(path, { recursive: true, force: true }))
  return path
}

/** As a reply: the user presses Ctrl-C, which ends the question as node:readline does. */
export const CTRL_C = "\u0003"

/** One process's folder, and a clock. `asked`: the questions at its terminal; `reply`: what the user types. */
export class Host {
  readonly directory: string
  nowMs = Date.now()
  reply: string | undefined = "y"
  readonly asked: string[] = []
  readonly logged: string[] = []

  constructor(t: Test) {
    this.directory = join(folder(t), "tls")
  }

  run(change: Partial<JoinCommand> = {}, files: object = {}) {
    const command: JoinCommand = {
      name: "api",
      address: "",
      directory: this.directory,
      isRenewal: false,
      answer: undefined,
      words: undefined,
      ...change,
    }
    const { reply, nowMs } = this
    const ask = async (question: string) => {
      this.asked.push(question)
      if (reply === CTRL_C) throw Object.assign(new Error("Aborted with Ctrl+C"), { name: "AbortError" })
      return reply ?? ""
    }
    return runJoin(command, {
      fs: { ...fs, ...files },
      newKey: newTlsKey,
      nowMs,
      ask: reply === undefined ? undefined : ask,
      log: (line) => void this.logged.push(line),
      program: "countersign-node join api",
    })
  }

  async request(change: Partial<JoinCommand> = {}): Promise<string> {
    return (await this.run(change)).lines[0] ?? ""
  }

  read(name: string): Buffer {
    return fs.readFileSync(join(this.directory, name))
  }

  get names(): string[] {
    return fs.readdirSync(this.directory).toSorted()
  }

  /** Fault of the files in use. */
  fault(name = "api") {
    const files = {
      certificate: this.read(`${name}.crt`),
      key: this.read(`${name}.key`),
      ca: this.read("ca.crt"),
    }
    return tlsFaultOf(files, this.nowMs)
  }
}

/** The signer's host: its authority issues whatever is asked. */
export class Signer {
  readonly authority: CertificateAuthority
  readonly #directory: string
  constructor(t: Test) {
    this.#directory = join(folder(t), "authority")
    this.authority = CertificateAuthority.open(this.#directory, Date.now())
  }
  /** To issue what the authority itself would not. */
  get issuer() {
    const name = this.authority.certificate.subject.slice("CN=".length)
    return { name, privateKey: createPrivateKey(fs.readFileSync(join(this.#directory, "ca.key"))) }
  }
  answer(request: string, nowMs = Date.now()): string {
    const certificate = this.authority.issue(readRequest(request), nowMs)
    const { certificate: authority, revocations } = this.authority
    return writeAnswer({ certificate, authority, servers: [...SERVERS], revocations }, this.issuer.privateKey)
  }
}
