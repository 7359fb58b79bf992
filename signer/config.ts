import { join, resolve } from "node:path"

const PREFIX = "COUNTERSIGN_SIGNER_"

/** Beside package.json, wherever the process was started from. */
const DATA_DIRECTORY = join(import.meta.dirname, "..", ".countersign")

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

export type SignerConfig = {
  dataDirectory: string
  seedFile: string
  ledgerDirectory: string
  listen: Listen
  /** Directory 0700, socket 0600: the API tier, another user, cannot reach it. */
  operatorSocket: string
  /** Keys kept derived in memory. */
  keyCache: { maxEntries: number; ttlMs: number }
}

type Environment = { [name: string]: string | undefined }

const KNOWN = [
  "SEED_FILE",
  "LEDGER_DIRECTORY",
  "LISTEN",
  "OPERATOR_SOCKET",
  "TLS_CERTIFICATE_FILE",
  "TLS_KEY_FILE",
  "TLS_CA_FILE",
  "CALLERS",
  "KEY_CACHE_ENTRIES",
  "KEY_CACHE_SECONDS",
] as const

/** Settings of the API tier that begin like ours: one environment may serve both processes. */
const OF_OTHERS = ["ADDRESS", "CA_FILE", "CLIENT_CERTIFICATE_FILE", "CLIENT_KEY_FILE"]

/** Everything that is wrong with the configuration, each fault with the name of its variable. */
export class ConfigFaults extends Error {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`the configuration has faults:\n${faults.map((fault) => `  ${fault}`).join("\n")}`)
    this.name = "ConfigFaults"
    this.faults = faults
  }
}

/**
 * Reads the environment into a frozen value.
 *
 * @throws ConfigFaults, with all faults at once
 */
export function readConfig(environment: Environment): Readonly<SignerConfig> {
  const faults = unknownNames(environment)
  // Empty counts as unset: that is how compose files leave a setting out.
  const value = (name: (typeof KNOWN)[number]) => environment[PREFIX + name] || undefined
  const dataDirectory = resolve(environment["COUNTERSIGN_DATA_DIR"] || DATA_DIRECTORY)
  const config: SignerConfig = {
    dataDirectory,
    seedFile: resolve(value("SEED_FILE") ?? join(dataDirectory, "signer", "root-seed")),
    ledgerDirectory: resolve(value("LEDGER_DIRECTORY") ?? join(dataDirectory, "signer", "ledger")),
    listen: readListen(dataDirectory, value, faults),
    operatorSocket: resolve(value("OPERATOR_SOCKET") ?? join(dataDirectory, "operator", "operator.sock")),
    keyCache: {
      maxEntries: readCount("KEY_CACHE_ENTRIES", value("KEY_CACHE_ENTRIES"), 10_000, faults),
      ttlMs: readCount("KEY_CACHE_SECONDS", value("KEY_CACHE_SECONDS"), 600, faults) * 1000,
    },
  }
  if (faults.length > 0) throw new ConfigFaults(faults)
  return Object.freeze(config)
}

function unknownNames(environment: Environment): string[] {
  const known = new Set<string>(KNOWN.map((name) => PREFIX + name))
  const foreign = new Set<string>(OF_OTHERS.map((name) => PREFIX + name))
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !foreign.has(name))
    .map((name) => `${name} is no setting of the signer; known are ${[...known].join(", ")}`)
}

function readListen(
  dataDirectory: string,
  value: (name: (typeof KNOWN)[number]) => string | undefined,
  faults: string[],
): Listen {
  const address = value("LISTEN") ?? `unix:${join(dataDirectory, "signer", "signer.sock")}`
  if (address.startsWith("unix:")) return { kind: "unix", path: resolve(address.slice("unix:".length)) }
  const file = (name: "TLS_CERTIFICATE_FILE" | "TLS_KEY_FILE" | "TLS_CA_FILE") => {
    const path = value(name)
    if (path === undefined)
      faults.push(`${PREFIX}${name} is needed when ${PREFIX}LISTEN is not a unix socket`)
    return path ?? ""
  }
  return {
    kind: "tcp",
    address,
    certificateFile: file("TLS_CERTIFICATE_FILE"),
    keyFile: file("TLS_KEY_FILE"),
    caFile: file("TLS_CA_FILE"),
    callers: (value("CALLERS") ?? "api").split(",").map((name) => name.trim()),
  }
}

function readCount(name: string, text: string | undefined, otherwise: number, faults: string[]): number {
  if (text === undefined) return otherwise
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text)
  faults.push(`${PREFIX}${name} must be a whole number above zero, not ${JSON.stringify(text)}`)
  return otherwise
}
