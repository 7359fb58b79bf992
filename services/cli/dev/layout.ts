import { join } from "node:path"
import { SOCKET_PATH_LIMIT } from "../../../signer/core/settings/kinds.ts"
import { packageRoot } from "../settings.ts"

/** What lies where in the data directory of a development system. */
export function layout(directory: string) {
  const at = (...parts: string[]) => join(directory, ...parts)
  return {
    directory,
    /** Says that `dev` made this directory: only then may `--reset` empty it. */
    mark: at("DEVELOPMENT"),
    lock: at("dev.lock"),
    logs: at("logs"),
    postgres: at("postgres"),
    /** The birth of the organization that is under way. */
    seedProgress: at("seed-progress.json"),
    /** What seeding made; written when all of it is there. */
    seeded: at("seeded.json"),
    signerSocket: at("signer", "signer.sock"),
    operatorSocket: at("operator", "operator.sock"),
    signerSeed: at("signer", "root-seed"),
    /** Unless COUNTERSIGN_SIGNER_LEDGER_DIRECTORY names another. */
    signerLedger: at("signer", "ledger"),
    fetcherSocket: at("fetcher", "fetcher.sock"),
    fetcherPublicKey: at("fetcher", "public-key"),
  }
}
export type Layout = ReturnType<typeof layout>

/** Programs of the system; each runs in a process of its own. */
export const programs = {
  signer: join(packageRoot, "signer", "enclave", "main.ts"),
  operator: join(packageRoot, "signer", "operator", "main.ts"),
  fetcher: join(packageRoot, "signer", "fetcher", "main.ts"),
  api: join(packageRoot, "services", "api", "main.ts"),
  authProxy: join(packageRoot, "services", "auth-proxy", "main.ts"),
} as const

/** Programs that say what is wrong with a process's settings; each asks the reader of that process. */
export const settingsChecks = {
  api: join(packageRoot, "services", "api", "check-settings.ts"),
  "auth-proxy": join(packageRoot, "services", "auth-proxy", "check-settings.ts"),
  signer: join(packageRoot, "signer", "enclave", "check-settings.ts"),
  fetcher: join(packageRoot, "signer", "fetcher", "check-settings.ts"),
} as const

/** Why a data directory is of no use: sockets lie below it. */
export function faultsOfLength({ directory, operatorSocket }: Layout): string[] {
  const over = Buffer.byteLength(operatorSocket) - SOCKET_PATH_LIMIT
  if (over <= 0) return []
  return [`COUNTERSIGN_DATA_DIR: ${directory} is ${over} bytes too long for a unix socket below it`]
}
