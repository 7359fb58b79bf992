import { join } from "node:path"
import { canonicalIssuer } from "../core/oidc/issuer.ts"
import { type Argv, commandSetting } from "../core/settings/argv.ts"
import { faultsOfPlainUrl, isProduction } from "../core/settings/production.ts"
import { type ListSettings, listSettings } from "../core/settings/listing.ts"
import {
  dataDirectoryOf,
  type Environment,
  path,
  readSettings,
  invalid,
  originOf,
  type Setting,
  SettingsError,
  type SettingValues,
  shownBy,
  socketPath,
} from "../core/settings/settings.ts"
import {
  type DeliverySettings,
  deliverySettings,
  deliverySettingsOf,
  faultsOfDelivery,
} from "./delivery/settings.ts"
import { type WitnessSettings, witnessSettings, witnessSettingsOf } from "./witness/settings.ts"
import type { Oauth2Origins } from "./oauth2/providers.ts"
import type { ProviderOrigin } from "./ask-provider.ts"
import type { OnRampProviders } from "./on-ramp/provider.ts"
import { faultsOfPlainSeed } from "../process/plain-seed.ts"
import { faultsOfServer, type Listen, listenOf, publicKeySet, serverSettings } from "../process/settings.ts"

export type FetcherConfig = {
  /** True if whatever is for development is refused. */
  isProduction: boolean
  seedFile: string
  /** Wraps a key for daily unlocking; undefined: the seed gets no such way. */
  sealCommand: Argv | undefined
  unsealCommand: Argv | undefined
  /** Directory 0700, socket 0600: for `unlock`, `lock` and `status`. */
  operatorSocket: string
  /** File of the key set's public form, with which an operator pairs a signer; written at every start. */
  publicKeyFile: string
  listen: Listen
  /** The paired signer's notarizer key set, from its pins; undefined: no order is carried out. */
  notarizerPublicKey: string | undefined
  /** Issuers whose keys may be fetched; "any": every issuer at a public address. */
  issuers: ReadonlySet<string> | "any"
  /** Issuers whose keys may also be fetched in plain HTTP and from addresses that are not public. */
  localIssuers: ReadonlySet<string>
  /** Origins of the APIs of on-ramp providers. */
  onRampProviders: OnRampProviders
  /** Origins of the APIs of OAuth 2.0 providers. */
  oauth2Origins: Oauth2Origins
  /** Database of one-time codes, which must survive a restart. */
  codesFile: string
  /** Ways out for messages. */
  delivery: DeliverySettings
  /** True if sandbox contacts have the published code. */
  sandboxContacts: boolean
  /** Undefined: this fetcher cosigns no log. */
  witness: WitnessSettings | undefined
}

/** Issuers of the providers that published clients offer. */
const DEFAULT_ISSUERS = [
  "https://accounts.google.com",
  "https://appleid.apple.com",
  "https://www.facebook.com",
  "https://limited.facebook.com",
]

/** The fetcher's settings, without prefix. `directory`: that of its files. */
function shapeOf(directory: string) {
  return {
    ...serverSettings(join(directory, "fetcher.sock")),
    SEED_FILE: path(join(directory, "seed")),
    SEAL_COMMAND: commandSetting,
    UNSEAL_COMMAND: commandSetting,
    OPERATOR_SOCKET: socketPath(join(directory, "unlock.sock")),
    PUBLIC_KEY_FILE: path(join(directory, "public-key")),
    NOTARIZER_PUBLIC_KEY: publicKeySet,
    ISSUERS: shownBy<ReadonlySet<string> | "any">(
      (text) =>
        text === "*" ? "any" : new Set(text === undefined ? DEFAULT_ISSUERS : readIssuers(text, "https://")),
      (issuers) => (issuers === "any" ? "*" : [...issuers].join(", ")),
    ),
    LOCAL_ISSUERS: (text: string | undefined) => new Set(text === undefined ? [] : readIssuers(text, "http")),
    MOONPAY_URL: providerOrigin("https://api.moonpay.com"),
    COINBASE_URL: providerOrigin("https://api.developer.coinbase.com"),
    X_URL: providerOrigin("https://api.x.com"),
    DISCORD_URL: providerOrigin("https://discord.com"),
    CODES_FILE: path(join(directory, "codes.sqlite")),
    ...deliverySettings,
    ...witnessSettings(directory),
  }
}

const OPTIONS = { prefix: "COUNTERSIGN_FETCHER_", check: faultsTogether, development: faultsOfDevelopment }

const directoryOf = (environment: Environment) => join(dataDirectoryOf(environment), "fetcher")

/** Lists the settings as they are read. */
export const listConfig: ListSettings = (environment, fileState) =>
  listSettings("fetcher", shapeOf(directoryOf(environment)), environment, { options: OPTIONS, fileState })

/**
 * Reads the environment into a frozen value.
 *
 * @throws {SettingsError} naming all faults at once
 */
export function readConfig(
  environment: Environment,
  options: typeof OPTIONS = OPTIONS,
): Readonly<FetcherConfig> {
  const directory = directoryOf(environment)
  const values = readSettings(shapeOf(directory), environment, options)
  return Object.freeze({
    isProduction: isProduction(environment),
    seedFile: values.SEED_FILE,
    sealCommand: values.SEAL_COMMAND,
    unsealCommand: values.UNSEAL_COMMAND,
    operatorSocket: values.OPERATOR_SOCKET,
    publicKeyFile: values.PUBLIC_KEY_FILE,
    listen: listenOf(values),
    notarizerPublicKey: values.NOTARIZER_PUBLIC_KEY,
    issuers: values.ISSUERS,
    localIssuers: values.LOCAL_ISSUERS,
    onRampProviders: { moonPay: values.MOONPAY_URL, coinbase: values.COINBASE_URL },
    oauth2Origins: { x: values.X_URL, discord: values.DISCORD_URL },
    codesFile: values.CODES_FILE,
    delivery: deliverySettingsOf(values, join(directory, "outbox.jsonl")),
    sandboxContacts: values.SANDBOX_CONTACTS,
    witness: witnessSettingsOf(values),
  })
}

/** As `readConfig`, for the process that serves: in production a plain seed is a fault too. */
export function readServingConfig(environment: Environment): Readonly<FetcherConfig> {
  return readConfig(environment, { ...OPTIONS, development: faultsOfServing })
}

function faultsOfServing(values: Partial<SettingValues<ReturnType<typeof shapeOf>>>): string[] {
  const { SEED_FILE: file } = values
  const plain = file === undefined ? [] : faultsOfPlainSeed(file, "COUNTERSIGN_FETCHER_SEED_FILE")
  return [...faultsOfDevelopment(values), ...plain]
}

type Together = Parameters<typeof faultsOfServer>[0] & Parameters<typeof faultsOfDelivery>[0]

/** Faults of settings that need one another. */
function faultsTogether(values: Together): string[] {
  return [...faultsOfServer(values), ...faultsOfDelivery(values)]
}

/** Settings that are for development. */
function faultsOfDevelopment(values: Partial<SettingValues<ReturnType<typeof shapeOf>>>): string[] {
  const faults: string[] = []
  const add = (name: string, isSet: boolean | undefined, why: string) => {
    if (isSet === true) faults.push(`COUNTERSIGN_FETCHER_${name}: ${why}`)
  }
  add(
    "SANDBOX_CONTACTS",
    values.SANDBOX_CONTACTS,
    "contacts with a published code are for development: anybody can log in as them",
  )
  add("OUTBOX", values.OUTBOX, "messages in a file are for development: configure SMTP_URL or SMS_PROVIDER")
  add(
    "LOCAL_ISSUERS",
    values.LOCAL_ISSUERS !== undefined && values.LOCAL_ISSUERS.size > 0,
    "issuers at local addresses are for development",
  )
  for (const name of ["MOONPAY_URL", "COINBASE_URL", "X_URL", "DISCORD_URL"] as const)
    faults.push(...faultsOfPlainUrl(`COUNTERSIGN_FETCHER_${name}`, values[name]?.url, "to a provider"))
  return [...faults, ...faultsOfPlainUrl("COUNTERSIGN_FETCHER_SMS_URL", values.SMS_URL, "to a provider")]
}

/** An origin that the operator names may be in their own network, also in plain HTTP. */
function providerOrigin(usual: string): Setting<ProviderOrigin> {
  return shownBy(readProviderOrigin(usual), ({ url }) => originOf(url))
}

function readProviderOrigin(usual: string): Setting<ProviderOrigin> {
  return (text) => {
    if (text === undefined) return { url: new URL(usual), isLocal: false }
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`)
      return { url, isLocal: true }
    throw invalid("must be the origin of an API, https://host or http://host:port, without a path")
  }
}

/** Entries are named by their position: a URL may hold a password. */
function readIssuers(text: string, scheme: "https://" | "http"): string[] {
  const faults: string[] = []
  const issuers = text.split(",").map((entry, index) => {
    const issuer = canonicalIssuer(entry.trim())
    if (issuer === undefined) faults.push(`entry ${index + 1} is not an issuer's URL`)
    else if (!issuer.startsWith(scheme))
      faults.push(`entry ${index + 1} is plain HTTP, which is for LOCAL_ISSUERS`)
    return issuer ?? ""
  })
  if (faults.length > 0) throw new SettingsError(faults)
  return issuers
}
