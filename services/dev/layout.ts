import { join } from "node:path"
import { counted } from "../../signer/core/counted.ts"
import { SOCKET_PATH_LIMIT } from "../../signer/core/settings/settings.ts"
import { NODE_OPTIONS } from "../common/node-options.ts"
import { packageRoot } from "../terminal-client/settings.ts"

/** Paths in the data directory of a development system. */
export function layout(directory: string) {
  const at = (...parts: string[]) => join(directory, ...parts)
  return {
    directory,
    /** Marks a directory that `dev` created; `--reset` deletes no other. */
    mark: at("DEVELOPMENT"),
    lock: at("dev.lock"),
    logs: at("logs"),
    postgres: at("postgres"),
    /** The request that creates organization Dev, until seeding is complete. */
    seedProgress: at("seed-progress.json"),
    /** The result of seeding, written when it is complete. */
    seeded: at("seeded.json"),
    signerSocket: at("signer", "signer.sock"),
    operatorSocket: at("operator", "operator.sock"),
    signerSeed: at("signer", "root-seed"),
    /** Default; COUNTERSIGN_SIGNER_LEDGER_DIRECTORY can name another. */
    signerLedger: at("signer", "ledger"),
    fetcherSocket: at("fetcher", "fetcher.sock"),
    /** Default; COUNTERSIGN_FETCHER_SEED_FILE can name another. */
    fetcherSeed: at("fetcher", "seed"),
    fetcherPublicKey: at("fetcher", "public-key"),
    /** Messages that the fetcher writes in place of sending them. */
    outbox: at("fetcher", "outbox.jsonl"),
    authProxyKey: at("auth-proxy", "key"),
    /** Folder of the certificate for localhost, and the file of its authority. */
    https: at("https"),
    authority: at("https", "signer", "tls", "ca.crt"),
  }
}
export type Layout = ReturnType<typeof layout>

/** Options of signer and fetcher, as in the images: no code from text, and no access to `__proto__`. */
const TRUSTED_OPTIONS = ["--disallow-code-generation-from-strings", "--disable-proto=throw"] as const

/**
 * MiB of each semi-space, the two halves of the heap's young generation. Node lets them grow to many times that size, for servers with
 * memory to spare. They are most of the memory of a process here. A request passes through API and signer; the others do little.
 */
const YOUNG_MIB = { api: 16, signer: 16, others: 4 } as const

/** Options of Node for a process of the development system that runs until it is stopped. */
export function servingOptionsOf(name: string): readonly string[] {
  const youngMiB = name === "api" || name === "signer" ? YOUNG_MIB[name] : YOUNG_MIB.others
  return [...nodeOptionsOf(name), `--max-semi-space-size=${youngMiB}`]
}

/** Options of Node for a process of the development system, as in its image. */
export function nodeOptionsOf(name: string): readonly string[] {
  return name === "signer" || name === "fetcher" ? [...NODE_OPTIONS, ...TRUSTED_OPTIONS] : NODE_OPTIONS
}

/** Programs of the development system, one process each. */
export const programs = {
  signer: join(packageRoot, "signer", "enclave", "main.ts"),
  operator: join(packageRoot, "signer", "operator", "main.ts"),
  fetcher: join(packageRoot, "signer", "fetcher", "main.ts"),
  api: join(packageRoot, "services", "api", "main.ts"),
  authProxy: join(packageRoot, "services", "auth-proxy", "main.ts"),
  worker: join(packageRoot, "services", "worker", "main.ts"),
} as const

/** Programs that check the settings of one process. */
export const settingsChecks = {
  api: join(packageRoot, "services", "api", "check-settings.ts"),
  "auth-proxy": join(packageRoot, "services", "auth-proxy", "check-settings.ts"),
  worker: join(packageRoot, "services", "worker", "check-settings.ts"),
  signer: join(packageRoot, "signer", "enclave", "check-settings.ts"),
  fetcher: join(packageRoot, "signer", "fetcher", "check-settings.ts"),
} as const

/** Faults of a data directory whose socket paths are too long. */
export function socketPathFaults({ directory, operatorSocket }: Layout): string[] {
  const over = Buffer.byteLength(operatorSocket) - SOCKET_PATH_LIMIT
  if (over <= 0) return []
  return [
    `COUNTERSIGN_DATA_DIR: ${directory} is ${counted(over, "byte")} too long for a unix socket below it`,
  ]
}
