import { join, resolve } from "node:path"
import { readPublicKeySet } from "./keys/public-key-set.ts"

/** Beside package.json, wherever the process was started from. */
const DATA_DIRECTORY = join(import.meta.dirname, "..", ".countersign")

export type Environment = { [name: string]: string | undefined }

/** Where a server listens: a unix socket, or TCP with mutual TLS. */
export type Listen =
  | { kind: "unix"; path: string }
  | {
      kind: "tcp"
      address: string
      certificateFile: string
      keyFile: string
      caFile: string
      callers: string[]
    }

/** Settings that every process with a server of its own has. */
export const LISTEN_SETTINGS = [
  "LISTEN",
  "TLS_CERTIFICATE_FILE",
  "TLS_KEY_FILE",
  "TLS_CA_FILE",
  "CALLERS",
] as const

/** Everything that is wrong with the configuration, each fault with the name of its variable. */
export class ConfigFaults extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`the configuration has faults:\n${faults.map((fault) => `  ${fault}`).join("\n")}`)
    this.name = "ConfigFaults"
    this.faults = faults
  }
}

/** Which settings a process has: all begin with the prefix. */
export type Names<Name extends string> = {
  /** Of the process, for sentences. */
  process: string
  prefix: string
  known: readonly Name[]
  /** Settings of other processes that begin alike: one environment may serve several. */
  ofOthers: readonly string[]
}

/** Reads the settings of one process and collects all faults, so that they are told at once. */
export class SettingsReader<Name extends string> {
  readonly dataDirectory: string
  readonly #environment: Environment
  readonly #prefix: string
  readonly #faults: string[]

  constructor(environment: Environment, { process, prefix, known, ofOthers }: Names<Name>) {
    this.#environment = environment
    this.#prefix = prefix
    this.dataDirectory = resolve(environment["COUNTERSIGN_DATA_DIR"] || DATA_DIRECTORY)
    const names = known.map((name) => prefix + name)
    const foreign = ofOthers.map((name) => prefix + name)
    this.#faults = Object.keys(environment)
      .filter((name) => name.startsWith(prefix) && !names.includes(name) && !foreign.includes(name))
      .map((name) => `${name} is no setting of the ${process}; known are ${names.join(", ")}`)
  }

  /** Empty counts as unset: that is how compose files leave a setting out. */
  text(name: Name): string | undefined {
    return this.#environment[this.#prefix + name] || undefined
  }

  /** A path below the data directory unless it is set. */
  path(name: Name, ...otherwise: string[]): string {
    return resolve(this.text(name) ?? join(this.dataDirectory, ...otherwise))
  }

  /** A whole number above zero. */
  count(name: Name, otherwise: number): number {
    const text = this.text(name)
    if (text === undefined) return otherwise
    if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
    this.fault(name, `must be a whole number above zero, not ${JSON.stringify(text)}`)
    return otherwise
  }

  /** A key set's public form, lower-case hexadecimal; undefined when it is not set. */
  publicKeySet(name: Name): string | undefined {
    const text = this.text(name)?.toLowerCase()
    if (text === undefined || readPublicKeySet(text) !== undefined) return text
    this.fault(name, "must be the public form of a key set: two uncompressed points, 260 hexadecimal digits")
    return undefined
  }

  /** The place of a server: a socket below the data directory unless it is set. */
  listen(this: SettingsReader<Name | (typeof LISTEN_SETTINGS)[number]>, ...socket: string[]): Listen {
    const address = this.text("LISTEN") ?? `unix:${join(this.dataDirectory, ...socket)}`
    if (address.startsWith("unix:")) return { kind: "unix", path: resolve(address.slice("unix:".length)) }
    const file = (name: "TLS_CERTIFICATE_FILE" | "TLS_KEY_FILE" | "TLS_CA_FILE") => {
      const path = this.text(name)
      if (path === undefined) this.fault(name, `is needed when ${this.#prefix}LISTEN is not a unix socket`)
      return path ?? ""
    }
    return {
      kind: "tcp",
      address,
      certificateFile: file("TLS_CERTIFICATE_FILE"),
      keyFile: file("TLS_KEY_FILE"),
      caFile: file("TLS_CA_FILE"),
      callers: (this.text("CALLERS") ?? "api").split(",").map((name) => name.trim()),
    }
  }

  fault(name: Name, what: string): void {
    this.#faults.push(`${this.#prefix}${name} ${what}`)
  }

  /** @throws ConfigFaults when there was any */
  finish(): void {
    if (this.#faults.length > 0) throw new ConfigFaults(this.#faults)
  }
}
