import { join } from "node:path"
import { type ListSettings, listSettings } from "../core/settings/listing.ts"
import { faultsOfPlainUrl, isProduction } from "../core/settings/production.ts"
import type { Environment, Setting, SettingValues } from "../core/settings/settings.ts"
import { canonicalIssuer, MAX_LEEWAY_SECONDS } from "../core/oidc/issuer.ts"
import {
  dataDirectoryOf,
  invalid,
  path,
  readSettings,
  shownAsWritten,
  socketPath,
  trueOrUnset,
  wholeNumber,
} from "../core/settings/settings.ts"
import { requireInvariant } from "../core/invariant.ts"
import type { AdmittedMembers } from "../core/request/unknown-members.ts"
import { DEFAULT_LIMITS, type Limits } from "./organization/limits.ts"
import {
  compressedKey,
  faultsOfServer,
  type Listen,
  fetcherKeys,
  listenOf,
  serverSettings,
} from "../process/settings.ts"
import { type Argv, commandSetting } from "../core/settings/argv.ts"
import { faultsOfPlainSeed } from "../process/plain-seed.ts"
import { checkpointMsOf, faultsOfWitnesses, witnessPolicyOf, witnessSettings } from "./witness-settings.ts"
import { settings, shape } from "./modules/settings.ts"

export type SignerConfig = {
  /** True if whatever is for development is refused. */
  isProduction: boolean
  dataDirectory: string
  seedFile: string
  ledgerDirectory: string
  /** Files of the audit stream, and what happens to acts that it cannot record. */
  audit: { readonly directory: string; readonly whenFull: "refuse" | "continue" }
  /** Folder of the certificate authority of mutual TLS, which the operator's command alone opens. */
  authorityDirectory: string
  listen: Listen
  /** Directory 0700, socket 0600: the API tier, another user, cannot reach it. */
  operatorSocket: string
  /** Commands of the operator that wrap a key of a sealed seed, and give it again; the signer's process runs none. */
  sealCommand: Argv | undefined
  unsealCommand: Argv | undefined
  /** Keys kept derived in memory. */
  keyCache: { maxEntries: number; ttlMs: number }
  /** Public keys of the paired fetcher (`FetcherKeys`), hexadecimal; undefined: fetched facts are refused. */
  fetcherPublicKey: string | undefined
  /** Issuer of the ID tokens that the paired fetcher signs: the API's public URL; undefined: the service issues none. */
  oidcIssuer: string | undefined
  /** Own key of the paired auth proxy, compressed, hexadecimal; undefined: no organization can enable the proxy. */
  authProxyPublicKey: string | undefined
  /** Largest numbers in one organization. */
  limits: Readonly<Limits>
  /** Witnesses of the log. */
  witnesses: ReturnType<typeof witnessPolicyOf>
  /** Interval of the log's checkpoints, milliseconds. */
  checkpointMs: number
  /** Members of bodies that this release does not know and the operator admits. */
  admittedMembers: AdmittedMembers
} & ModuleSettings

/** Settings of modules by name. */
type ModuleSettings = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]> }

/** Largest count that a setting may have. */
const MAX_COUNT = 999_999_999

/** Ten years: beyond it a limit in hours limits nothing. */
const MAX_HOURS = 87_600

/** Sessions of one user are read at once with each of their logins. */
const MAX_EXPIRING = 100

/** The interface takes secrets up to this size, sealed and in hexadecimal (ImportSecretParams.secret_payload). */
const MAX_SECRET_BYTES = 32 * 1024

/** The signer's settings, without prefix. `admittedMembers`: knows the whole interface, which takes long to load. */
function shapeOf(dataDirectory: string, admittedMembers: Setting<AdmittedMembers>) {
  return {
    ...serverSettings(join(dataDirectory, "signer", "signer.sock")),
    SEED_FILE: path(join(dataDirectory, "signer", "root-seed")),
    LEDGER_DIRECTORY: path(join(dataDirectory, "signer", "ledger")),
    AUDIT_DIRECTORY: path(join(dataDirectory, "signer", "audit")),
    AUDIT_WHEN_FULL: readWhenFull,
    AUTHORITY_DIRECTORY: path(join(dataDirectory, "authority")),
    OPERATOR_SOCKET: socketPath(join(dataDirectory, "operator", "operator.sock")),
    SEAL_COMMAND: commandSetting,
    UNSEAL_COMMAND: commandSetting,
    KEY_CACHE_ENTRIES: wholeNumber(10_000, 1, MAX_COUNT),
    KEY_CACHE_SECONDS: wholeNumber(600, 1, MAX_COUNT),
    FETCHER_PUBLIC_KEY: fetcherKeys,
    OIDC_ISSUER: readOwnIssuer,
    AUTH_PROXY_PUBLIC_KEY: compressedKey,
    MAX_USERS: wholeNumber(DEFAULT_LIMITS.users, 1, MAX_COUNT),
    MAX_POLICIES: wholeNumber(DEFAULT_LIMITS.policies, 1, MAX_COUNT),
    MAX_TAGS: wholeNumber(DEFAULT_LIMITS.tags, 1, MAX_COUNT),
    MAX_SESSION_PROFILES: wholeNumber(DEFAULT_LIMITS.sessionProfiles, 1, MAX_COUNT),
    MAX_API_KEYS: wholeNumber(DEFAULT_LIMITS.apiKeys, 1, MAX_COUNT),
    MAX_EXPIRING_KEYS: wholeNumber(DEFAULT_LIMITS.expiringKeys, 1, MAX_EXPIRING),
    MAX_AUTHENTICATORS: wholeNumber(DEFAULT_LIMITS.authenticators, 1, MAX_COUNT),
    MAX_OAUTH_PROVIDERS: wholeNumber(DEFAULT_LIMITS.oauthProviders, 1, MAX_COUNT),
    MAX_PENDING_HOURS: wholeNumber(DEFAULT_LIMITS.pendingHours, 0, MAX_HOURS),
    ADMITTED_MEMBERS: admittedMembers,
    TOKEN_LEEWAY_SECONDS: wholeNumber(DEFAULT_LIMITS.tokenLeewaySeconds, 0, MAX_LEEWAY_SECONDS),
    ...witnessSettings,
    ...shape,
    MAX_SECRET_BYTES: wholeNumber(DEFAULT_LIMITS.secretBytes, 1, MAX_SECRET_BYTES),
    LOCAL_WEBHOOKS: trueOrUnset,
  }
}

type Values = Partial<SettingValues<ReturnType<typeof shapeOf>>>

/** Settings that are for development. */
function faultsOfDevelopment({ LOCAL_WEBHOOKS: hasLocalWebhooks, OIDC_ISSUER: issuer }: Values): string[] {
  return [
    ...(hasLocalWebhooks === true
      ? ["COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: receivers at local addresses are for development"]
      : []),
    ...faultsOfPlainUrl("COUNTERSIGN_SIGNER_OIDC_ISSUER", issuer, "to the issuer of ID tokens"),
  ]
}

/** Faults of settings that need one another. */
function faultsTogether(
  values: Parameters<typeof faultsOfServer>[0] & Parameters<typeof faultsOfWitnesses>[0],
) {
  return [...faultsOfServer(values), ...faultsOfWitnesses(values)]
}

const OPTIONS = { prefix: "COUNTERSIGN_SIGNER_", check: faultsTogether, development: faultsOfDevelopment }

/** As `readConfig`, for the process that serves: in production a plain root seed is a fault too. */
export const readServingConfig =
  (admittedMembers: Setting<AdmittedMembers> = noMembers) =>
  (environment: Environment): Readonly<SignerConfig> =>
    readConfig(environment, admittedMembers, { ...OPTIONS, development: faultsOfServing })

function faultsOfServing(values: Values): string[] {
  const { SEED_FILE: file } = values
  return [...faultsOfDevelopment(values), ...(file === undefined ? [] : faultsOfPlainSeed(file))]
}

/** Lists the settings as they are read. */
export function listConfig(admittedMembers: Setting<AdmittedMembers>): ListSettings {
  return (environment, fileState) => {
    const listed = shapeOf(dataDirectoryOf(environment), admittedMembers)
    return listSettings("signer", listed, environment, { options: OPTIONS, fileState })
  }
}

/**
 * The reader of COUNTERSIGN_SIGNER_ADMITTED_MEMBERS for commands. It knows the whole interface, which takes longer to load than the
 * rest of a command, so it is loaded only where the setting is there.
 */
export async function admittedMembersFor(environment: Environment): Promise<Setting<AdmittedMembers>> {
  if (!environment["COUNTERSIGN_SIGNER_ADMITTED_MEMBERS"]) return noMembers
  return (await import("./admitted-members.ts")).readAdmittedMembers
}

/** Stands for the reader where the setting is absent. */
const noMembers: Setting<AdmittedMembers> = shownAsWritten((text) => {
  requireInvariant(!text, "the reader of admitted members was not loaded")
  return new Set()
})

/** Folders of the certificate authority. The other settings may wait for a certificate that it is to issue. */
export function authorityPlacesOf(environment: Environment) {
  const dataDirectory = dataDirectoryOf(environment)
  const { AUTHORITY_DIRECTORY: directoryOf } = shapeOf(dataDirectory, noMembers)
  const text = environment["COUNTERSIGN_SIGNER_AUTHORITY_DIRECTORY"]
  return { dataDirectory, authorityDirectory: directoryOf(text || undefined) }
}

/** The folders of the audit stream and of the ledger, for commands whose other settings may not be there yet, and what happens if no note can be left. */
export function auditPlaceOf(environment: Environment) {
  const { AUDIT_DIRECTORY, AUDIT_WHEN_FULL, LEDGER_DIRECTORY } = shapeOf(
    dataDirectoryOf(environment),
    noMembers,
  )
  const given = (name: string) => environment[`COUNTERSIGN_SIGNER_${name}`] || undefined
  return {
    directory: AUDIT_DIRECTORY(given("AUDIT_DIRECTORY")),
    ledgerDirectory: LEDGER_DIRECTORY(given("LEDGER_DIRECTORY")),
    whenFull: AUDIT_WHEN_FULL(given("AUDIT_WHEN_FULL")),
  }
}

/** Reads the environment into a frozen value. @throws {SettingsError} naming all faults at once */
export function readConfig(
  environment: Environment,
  admittedMembers = noMembers,
  options: typeof OPTIONS = OPTIONS,
): Readonly<SignerConfig> {
  const dataDirectory = dataDirectoryOf(environment)
  const values = readSettings(shapeOf(dataDirectory, admittedMembers), environment, options)
  return Object.freeze({
    isProduction: isProduction(environment),
    dataDirectory,
    seedFile: values.SEED_FILE,
    ledgerDirectory: values.LEDGER_DIRECTORY,
    audit: Object.freeze({ directory: values.AUDIT_DIRECTORY, whenFull: values.AUDIT_WHEN_FULL }),
    authorityDirectory: values.AUTHORITY_DIRECTORY,
    listen: listenOf(values),
    operatorSocket: values.OPERATOR_SOCKET,
    sealCommand: values.SEAL_COMMAND,
    unsealCommand: values.UNSEAL_COMMAND,
    keyCache: { maxEntries: values.KEY_CACHE_ENTRIES, ttlMs: values.KEY_CACHE_SECONDS * 1000 },
    fetcherPublicKey: values.FETCHER_PUBLIC_KEY,
    oidcIssuer: values.OIDC_ISSUER,
    authProxyPublicKey: values.AUTH_PROXY_PUBLIC_KEY,
    limits: Object.freeze({
      users: values.MAX_USERS,
      policies: values.MAX_POLICIES,
      tags: values.MAX_TAGS,
      sessionProfiles: values.MAX_SESSION_PROFILES,
      apiKeys: values.MAX_API_KEYS,
      expiringKeys: values.MAX_EXPIRING_KEYS,
      authenticators: values.MAX_AUTHENTICATORS,
      oauthProviders: values.MAX_OAUTH_PROVIDERS,
      pendingHours: values.MAX_PENDING_HOURS,
      secretBytes: values.MAX_SECRET_BYTES,
      tokenLeewaySeconds: values.TOKEN_LEEWAY_SECONDS,
      localWebhooks: values.LOCAL_WEBHOOKS,
    }),
    admittedMembers: values.ADMITTED_MEMBERS,
    witnesses: Object.freeze(witnessPolicyOf(values)),
    checkpointMs: checkpointMsOf(values),
    sends: settings.sends(values),
  })
}

function readWhenFull(text = "refuse"): "refuse" | "continue" {
  if (text === "refuse" || text === "continue") return text
  throw invalid("must be refuse or continue")
}

/** An issuer in its one spelling. Plain HTTP is for this host alone, as in development. */
function readOwnIssuer(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const issuer = canonicalIssuer(text)
  const isLocal = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(text)
  if (issuer === text && !text.endsWith("/") && (issuer.startsWith("https://") || isLocal)) return issuer
  throw invalid("must be the API's public URL, https:// and without a slash at the end")
}
