import {
  type Environment,
  type Listen,
  type ListenSetting,
  SettingsReader,
} from "../core/settings/settings.ts"

export { ConfigFaults, type Listen } from "../core/settings/settings.ts"

export type SignerConfig = {
  dataDirectory: string
  seedFile: string
  ledgerDirectory: string
  listen: Listen
  /** Directory 0700, socket 0600: the API tier, another user, cannot reach it. */
  operatorSocket: string
  /** Keys kept derived in memory. */
  keyCache: { maxEntries: number; ttlMs: number }
  /** Public form of the paired fetcher's key set, hexadecimal; undefined: nothing from outside is believed. */
  fetcherPublicKey: string | undefined
}

type Name =
  | ListenSetting
  | "SEED_FILE"
  | "LEDGER_DIRECTORY"
  | "OPERATOR_SOCKET"
  | "KEY_CACHE_ENTRIES"
  | "KEY_CACHE_SECONDS"
  | "FETCHER_PUBLIC_KEY"

/**
 * Reads the environment into a frozen value.
 *
 * @throws ConfigFaults, with all faults at once
 */
export function readConfig(environment: Environment): Readonly<SignerConfig> {
  const settings = new SettingsReader<Name>(environment, "COUNTERSIGN_SIGNER_")
  const config: SignerConfig = {
    dataDirectory: settings.dataDirectory,
    seedFile: settings.path("SEED_FILE", "signer", "root-seed"),
    ledgerDirectory: settings.path("LEDGER_DIRECTORY", "signer", "ledger"),
    listen: settings.listen("signer", "signer.sock"),
    operatorSocket: settings.socket("OPERATOR_SOCKET", "operator", "operator.sock"),
    keyCache: {
      maxEntries: settings.count("KEY_CACHE_ENTRIES", 10_000),
      ttlMs: settings.count("KEY_CACHE_SECONDS", 600) * 1000,
    },
    fetcherPublicKey: settings.publicKeySet("FETCHER_PUBLIC_KEY"),
  }
  settings.finish()
  return Object.freeze(config)
}
