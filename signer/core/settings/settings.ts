import { accessSync, constants } from "node:fs"
import { join, resolve } from "node:path"
import { readPublicKeySet } from "../crypto/public-key-set.ts"
import { unknownSettings } from "./names.ts"

/** Beside package.json, wherever the process was started from. */
const DATA_DIRECTORY = join(import.meta.dirname, "..", "..", "..", ".countersign")

/** sockaddr_un holds 104 bytes on macOS, 108 on Linux, with a closing zero. */
const SOCKET_PATH_LIMIT = 103

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

/** Settings that every process with a server of its own has, without prefix. */
export type ListenSetting = "LISTEN" | "TLS_CERTIFICATE_FILE" | "TLS_KEY_FILE" | "TLS_CA_FILE" | "CALLERS"

/** Everything that is wrong with the configuration, each fault with the name of its variable. */
export class ConfigFaults extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`the settings cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`)
    this.name = "ConfigFaults"
    this.faults = faults
  }
}

/** What is wrong with the settings that `read` reads; nothing: they can be used. */
export function faultsOf(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults
    throw error
  }
}

/** Reads the settings of one process, which all begin with its prefix, and tells all faults at once. */
export class SettingsReader<Name extends string> {
  readonly dataDirectory: string
  readonly #environment: Environment
  readonly #prefix: string
  readonly #faults: string[]

  constructor(environment: Environment, prefix: string) {
    this.#environment = environment
    this.#prefix = prefix
    this.dataDirectory = resolve(environment["COUNTERSIGN_DATA_DIR"] || DATA_DIRECTORY)
    this.#faults = unknownSettings(environment).map((name) => `${name}: there is no such setting`)
  }

  /** Empty counts as unset: that is how compose files leave a setting out. */
  text(name: Name): string | undefined {
    return this.#environment[this.#prefix + name] || undefined
  }

  /** A path below the data directory unless it is set. */
  path(name: Name, ...otherwise: string[]): string {
    return resolve(this.text(name) ?? join(this.dataDirectory, ...otherwise))
  }

  /** The path of a unix socket, below the data directory unless it is set. */
  socket(name: Name, ...otherwise: string[]): string {
    return this.#socketAt(name, this.path(name, ...otherwise))
  }

  /** A whole number above zero. */
  count(name: Name, otherwise: number): number {
    const text = this.text(name)
    if (text === undefined) return otherwise
    if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
    this.fault(name, "must be a whole number above zero")
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
  listen(this: SettingsReader<Name | ListenSetting>, ...socket: string[]): Listen {
    const address = this.text("LISTEN") ?? `unix:${join(this.dataDirectory, ...socket)}`
    if (/^unix:./.test(address)) {
      return { kind: "unix", path: this.#socketAt("LISTEN", resolve(address.slice("unix:".length))) }
    }
    const [, port] = /^(?:[^:[\]\s]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(address) ?? []
    if (port === undefined || Number(port) > 65_535) {
      this.fault("LISTEN", "must be unix:/path/to/socket or host:port")
    }
    return {
      kind: "tcp",
      address,
      certificateFile: this.#tlsFile("TLS_CERTIFICATE_FILE"),
      keyFile: this.#tlsFile("TLS_KEY_FILE"),
      caFile: this.#tlsFile("TLS_CA_FILE"),
      callers: (this.text("CALLERS") ?? "api").split(",").map((name) => name.trim()),
    }
  }

  /** @param what is wrong, without the value: a secret may have been put under the wrong name */
  fault(name: Name, what: string): void {
    this.#faults.push(`${this.#prefix}${name}: ${what}`)
  }

  /** @throws ConfigFaults when there was any */
  finish(): void {
    if (this.#faults.length > 0) throw new ConfigFaults(this.#faults)
  }

  #socketAt(name: Name, path: string): string {
    const over = Buffer.byteLength(path) - SOCKET_PATH_LIMIT
    if (over > 0) this.fault(name, `the path is ${over} bytes too long for a unix socket`)
    return path
  }

  /** A file that mutual TLS needs; read when the server is made. */
  #tlsFile(this: SettingsReader<Name | ListenSetting>, name: ListenSetting): string {
    const path = this.text(name)
    if (path === undefined) {
      this.fault(name, `is needed when ${this.#prefix}LISTEN is not a unix socket`)
      return ""
    }
    try {
      accessSync(path, constants.R_OK)
    } catch (error) {
      this.fault(
        name,
        `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown fault"})`,
      )
    }
    return path
  }
}
