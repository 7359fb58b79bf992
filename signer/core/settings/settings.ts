import { join, resolve } from "node:path"
import { closestName } from "../closest-name.ts"
import { counted } from "../counted.ts"
import { faultsOfProduction } from "./production.ts"
import { UsageError } from "./start-fault.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads one setting's text; undefined: unset. @throws {SettingsError} that never shows the text */
export type Setting<Value> = {
  (text: string | undefined): Value
  /** The value for `config`, without anything secret. A value that is an object, or holds a URL with a key, needs it. */
  show?(value: Value, text: string | undefined): string
}
export type SettingsShape = { readonly [name: string]: Setting<unknown> }
export type SettingValues<S extends SettingsShape> = { readonly [Name in keyof S]: ReturnType<S[Name]> }
/** Checks several settings together; a setting that was faulty by itself is absent. */
export type CrossCheck<S extends SettingsShape> = (values: Partial<SettingValues<S>>) => readonly string[]

/** The settings cannot be used; `faults` names every faulty one. */
export class SettingsError extends UsageError {
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(`the settings cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`)
    this.name = "SettingsError"
    this.faults = faults
  }
}

/** The faults of the settings that `read` reads; none: they can be used. */
export function faultsOf(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.faults
    throw error
  }
}

export type ShapeOptions<S extends SettingsShape> = {
  /** Stands before each name of the shape in the environment and in faults. */
  prefix?: string
  check?: CrossCheck<S> | undefined
  /** Settings that are for development, by their whole names: faults with COUNTERSIGN_PRODUCTION=true. */
  development?: CrossCheck<S> | undefined
}

/**
 * Reads the settings of one process into a frozen value. An empty variable counts as unset: compose files leave a
 * setting out that way. Values never appear in a fault: a setting may hold a password.
 * @throws {SettingsError} naming all faults at once
 */
export function readSettings<S extends SettingsShape>(
  shape: S,
  environment: Environment,
  { prefix = "", check, development = () => [] }: ShapeOptions<S> = {},
): SettingValues<S> {
  const values: Record<string, unknown> = {}
  const names = Object.keys(shape).map((name) => prefix + name)
  const faults = unknownNames(new Set([...settingNames, ...names]), environment)
  for (const [name, read] of Object.entries(shape)) {
    const found = faultsOf(() => {
      values[name] = read(environment[prefix + name] || undefined)
    })
    faults.push(...found.map((fault) => `${prefix}${name}: ${fault}`))
  }
  faults.push(...(check?.(values as Partial<SettingValues<S>>) ?? []).map((fault) => prefix + fault))
  faults.push(...faultsOfProduction(environment, () => development(values as Partial<SettingValues<S>>)))
  if (faults.length > 0) throw new SettingsError(faults)
  return Object.freeze(values) as SettingValues<S>
}

function unknownNames(known: ReadonlySet<string>, environment: Environment): string[] {
  return unknownSettings(environment)
    .filter((name) => !known.has(name))
    .map((name) => {
      const meant = known.has(`${name}_FILE`) ? `${name}_FILE` : closestName(name, known)
      return `${name}: there is no such setting${meant === undefined ? "" : `; did you mean ${meant}?`}`
    })
}

/** Settings of this software start with it; any other variable of the environment is ignored. */
const PREFIX = "COUNTERSIGN_"

/**
 * Every setting of the system, for both tiers: the one list beside the readers. One environment may serve several
 * processes, so each accepts the names of the others; any other name is a misspelling and stops the start.
 */
export const settingNames: readonly string[] = `
  : ACTIVITY_TIMES CHAINS DATABASE_SOCKET DATABASE_WAIT_SECONDS DATA_DIR EXIT_WITH_PARENT LOG_LEVEL PRODUCTION PROFILE
  : TOKENS
  TRACES_: PERCENT URL
  DASHBOARD_: BEHIND_PROXY LISTEN STOP_GRACE_SECONDS
  API_: BEHIND_PROXY BODY_LIMIT_BYTES IP_ALLOWLISTS_OFF LISTEN LOG_PUBLIC METRICS_LISTEN STOP_GRACE_SECONDS PROCESSES
  API_: PUBLIC_URL TRUSTED_PROXIES WITNESSES
  AUTH_PROXY_: API_URL BEHIND_PROXY KEY_FILE LISTEN METRICS_LISTEN NOTARIZER_PUBLIC_KEY SEAL_COMMAND STOP_GRACE_SECONDS
  AUTH_PROXY_: PUBLIC_URL REQUESTS_PER_ADDRESS REQUESTS_PER_CONFIGURATION TRUSTED_PROXIES UNSEAL_COMMAND
  AUTH_PROXY_TURNSTILE_: SECRET_FILE SITE_KEY UNREACHABLE URL
  FETCHER_: ADDRESS CALLERS CA_FILE CLIENT_CERTIFICATE_FILE CLIENT_KEY_FILE CODES_FILE COINBASE_URL ISSUERS LISTEN
  FETCHER_: LOCAL_ISSUERS MOONPAY_URL NOTARIZER_PUBLIC_KEY OPERATOR_SOCKET PUBLIC_KEY_FILE SEAL_COMMAND SEED_FILE
  FETCHER_: TLS_CA_FILE MAIL_DOMAINS MAIL_FROM OUTBOX SANDBOX_CONTACTS SMS_ACCOUNT SMS_FROM SMS_PROVIDER SMS_TOKEN_FILE
  FETCHER_: SMS_URL SMTP_CA_FILE SMTP_PASSWORD_FILE SMTP_URL SOCKET_ACCESS TLS_CERTIFICATE_FILE TLS_KEY_FILE DISCORD_URL
  FETCHER_: UNSEAL_COMMAND WITNESS_HEADS_FILE WITNESS_LOGS_FILE WITNESS_NAME X_URL
  SIGNER_: ADDRESS ADMITTED_MEMBERS AUTHORITY_DIRECTORY AUTH_PROXY_PUBLIC_KEY CALLERS CA_FILE CLIENT_CERTIFICATE_FILE
  SIGNER_: CLIENT_KEY_FILE FETCHER_PUBLIC_KEY KEY_CACHE_ENTRIES KEY_CACHE_SECONDS LEDGER_DIRECTORY LISTEN OPERATOR_SOCKET
  SIGNER_: SEAL_COMMAND UNSEAL_COMMAND MAX_API_KEYS MAX_AUTHENTICATORS MAX_EXPIRING_KEYS MAX_OAUTH_PROVIDERS
  SIGNER_: MAX_PENDING_HOURS MAX_POLICIES BYTE_FEES FEE_CAPS GAS_STATIONS MAX_DEADLINE_SECONDS NATIVE_PRICES_USD
  SIGNER_: SPONSORED_USD_A_DAY SPONSORED_USD_A_DAY_SUB_ORGANIZATION LOCAL_WEBHOOKS MAX_SECRET_BYTES MAX_SESSION_PROFILES
  SIGNER_: MAX_TAGS MAX_USERS TOKEN_LEEWAY_SECONDS AUDIT_DIRECTORY AUDIT_WHEN_FULL WITNESSES WITNESS_BEFORE_ANSWER
  SIGNER_: WITNESS_THRESHOLD
  WITNESS_: BEHIND_PROXY HEADS_FILE LISTEN LOGS_FILE NAME SEED_FILE
  SIGNER_: OIDC_ISSUER SEED_FILE SOCKET_ACCESS TLS_CA_FILE TLS_CERTIFICATE_FILE TLS_KEY_FILE
  WORKER_: BALANCE_CALLS_PER_SECOND BALANCE_SECONDS CONFIRMATIONS FINALITY LISTEN LOCAL_WEBHOOKS METRICS_LISTEN
  WORKER_: STOP_GRACE_SECONDS WEBHOOK_TIMEOUT_SECONDS
`
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [prefix = "", names = ""] = line.trimStart().split(": ")
    return names.split(" ").map((name) => PREFIX + prefix + name)
  })

/** Names with our prefix that no process of the system knows: a misspelt setting must stop the start. */
export function unknownSettings(environment: { readonly [name: string]: string | undefined }): string[] {
  const known = new Set(settingNames)
  return Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !known.has(name))
}

/** The data directory unless COUNTERSIGN_DATA_DIR is set: beside package.json, wherever the process was started. */
const DATA_DIRECTORY = join(import.meta.dirname, "..", "..", "..", ".countersign")

/** Bytes of a unix socket's path: sockaddr_un holds 104 on macOS, 108 on Linux, with a closing zero. */
export const SOCKET_PATH_LIMIT = 103

export const MAX_PORT = 65_535

export function dataDirectoryOf(environment: Environment): string {
  return resolve(environment["COUNTERSIGN_DATA_DIR"] || DATA_DIRECTORY)
}

export const optionalText: Setting<string | undefined> = (text) => text

export function path(fallback: string): Setting<string> {
  return (text) => resolve(text ?? fallback)
}

/** Path of a unix socket. */
export function socketPath(fallback: string): Setting<string> {
  return (text = fallback) => requireSocketPath(text)
}

export function requireSocketPath(text: string): string {
  const absolute = resolve(text)
  const excess = Buffer.byteLength(absolute) - SOCKET_PATH_LIMIT
  if (excess > 0) throw invalid(`the path is ${counted(excess, "byte")} too long for a unix socket`)
  return absolute
}

export function wholeNumber(fallback: number, min: number, max: number): Setting<number> {
  return (text = String(fallback)) => {
    const number = /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : Number.NaN
    if (number >= min && number <= max) return number
    throw invalid(`write a whole number from ${min} to ${max}`)
  }
}

/** Setting: a switch that is off unless it is "true". */
export const trueOrUnset: Setting<boolean> = (text) => {
  if (text === undefined || text === "true") return text === "true"
  throw invalid('write "true", or leave it unset')
}

/** The address of a server: `unix:/path/to/socket` or `host:port`. */
export function requireServiceAddress(text: string): string {
  if (/^unix:./.test(text) || readHostAndPort(text) !== undefined) return text
  throw invalid("write it as unix:/path/to/socket or host:port")
}

export type HostAndPort = { host: string; port: number }

/** `host:port`, `[::1]:8080`; a port above the highest one is no port. */
export function readHostAndPort(text: string): HostAndPort | undefined {
  const [, ip6, host, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/.exec(text) ?? []
  if (port === undefined || Number(port) > MAX_PORT) return undefined
  return { host: ip6 ?? host ?? "", port: Number(port) }
}

/** A setting, and how `config` shows its value. */
export function shownBy<Value>(
  read: Setting<Value>,
  show: (value: Value, text: string | undefined) => string,
): Setting<Value> {
  return Object.assign((text: string | undefined) => read(text), { show })
}

/** A setting that can hold no secret: `config` shows the text as it was written. */
export function shownAsWritten<Value>(read: Setting<Value>): Setting<Value> {
  return shownBy(read, (_value, text = "") => text)
}

/** A setting that is a URL, or is read as one: `config` shows its origin alone, because its path may hold a key. */
export function shownByOrigin<Value extends URL | undefined>(read: Setting<Value>): Setting<Value> {
  return shownBy(read, (url) => (url === undefined ? "" : originOf(url)))
}

/** The origin of a URL; `/…` stands for anything after it. */
export function originOf(url: URL): string {
  return `${url.protocol}//${url.host}${/^\/?$/.test(url.pathname) && url.search === "" ? "" : "/…"}`
}

/** `host:port`, IPv6 addresses in brackets. */
export function writeAddress({ host, port }: HostAndPort): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** The fault of one setting, without its name. */
export function invalid(sentence: string): SettingsError {
  return new SettingsError([sentence])
}
