import { accessSync, constants } from "node:fs"
import { isIPv4 } from "node:net"
import {
  type CrossCheck,
  type Environment,
  type HostAndPort,
  invalid,
  MAX_PORT,
  readHostAndPort,
  readSettings,
  requireServiceAddress,
  type Setting,
  SettingsError,
  type SettingsShape,
  shownBy,
  wholeNumber,
  writeAddress,
} from "../../signer/core/settings/settings.ts"
import { listSettings, type SettingsListing } from "../../signer/core/settings/listing.ts"
import { type IpBlock, readIpBlock, writeIpBlock } from "../../signer/core/organization/ip-block.ts"
import { sayFault } from "./program.ts"

/** The settings of one process: its name, how each is read, and how they are checked together. */
export type ServiceSettings<S extends SettingsShape> = {
  process: string
  shape: S
  check?: CrossCheck<S>
  /** Settings that are for development: faults with COUNTERSIGN_PRODUCTION=true. */
  development?: CrossCheck<S>
}

export function readServiceSettings<S extends SettingsShape>(
  { shape, check, development }: ServiceSettings<S>,
  environment: Environment,
) {
  return readSettings(shape, environment, { check, development })
}

/** Lists the settings as their process reads them. */
export function listServiceSettings<S extends SettingsShape>(
  { process, shape, check, development }: ServiceSettings<S>,
  environment: Environment,
): SettingsListing {
  return listSettings(process, shape, environment, { options: { check, development }, fileState })
}

/** Addresses that the hosts of the system listen at. Every process reads all four, so a faulty one stops any start. */
export const listenSettings = {
  COUNTERSIGN_API_LISTEN: listenAddress("localhost:8080"),
  COUNTERSIGN_AUTH_PROXY_LISTEN: listenAddress("localhost:8081"),
  COUNTERSIGN_DASHBOARD_LISTEN: listenAddress("localhost:8082"),
  COUNTERSIGN_WORKER_LISTEN: listenAddress("localhost:8083"),
}

/** Setting: the address of a service as its callers know it, an origin. */
export function publicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw invalid("must be an address as callers know it, https://host or http://host:port, without a path")
}

/** Setting: a listen address. `localhost` is both loopback addresses; for port 0 the system chooses one. */
export function listenAddress(fallback: string): Setting<HostAndPort> {
  return (text = fallback) => {
    const address = readHostAndPort(text)
    if (address !== undefined) return address
    const isTooHigh = Number(/:(\d+)$/.exec(text)?.[1] ?? 0) > MAX_PORT
    throw invalid(
      isTooHigh
        ? `the port is too high, ${MAX_PORT} is the highest`
        : "write it as host:port, for example localhost:8080",
    )
  }
}

/** URL at which this host reaches a server that listens on this address. */
export function localUrl({ host, port }: HostAndPort): string {
  const isAnywhere = host === "0.0.0.0" || host === "::"
  return `http://${writeAddress({ host: isAnywhere ? "localhost" : host, port })}`
}

/** True if only this host can reach the address. A name other than `localhost` may resolve to anything. */
export function isLoopback({ host }: HostAndPort): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))
}

/** Faults of plain HTTP: beyond the loopback the operator must declare a proxy that encrypts. */
export function faultsOfPlainHttp(
  host: "API" | "AUTH_PROXY" | "DASHBOARD",
  listen: HostAndPort | undefined,
  behindProxy: string | undefined,
): string[] {
  if (listen === undefined || isLoopback(listen) || behindProxy !== "false") return []
  const advice = `put a proxy with TLS before it and set COUNTERSIGN_${host}_BEHIND_PROXY=true`
  return [`COUNTERSIGN_${host}_LISTEN: plain HTTP beyond this host's loopback; ${advice}`]
}

/** A setting whose value is one of a few words. */
export function word<const Word extends string>(words: readonly Word[], fallback: Word): Setting<Word> {
  return (text = fallback) => {
    const known = words.find((candidate) => candidate === text)
    if (known === undefined) throw invalid(`write one of ${words.join(", ")}`)
    return known
  }
}

export const trueOrFalse = word(["true", "false"], "false")

const logLevels = ["fatal", "error", "warn", "info", "debug", "silent"] as const
export type LogLevel = (typeof logLevels)[number]
export const logLevel = word(logLevels, "info")

/** Setting: where a process serves its metrics. Off unless it is set; a port alone is on the loopback. */
export const metricsAddress: Setting<HostAndPort | undefined> = (text) =>
  text === undefined ? undefined : listenAddress("")(/^\d+$/.test(text) ? `localhost:${text}` : text)

/** Setting: seconds for which a process that was asked to stop still serves, so that load balancers notice. */
export const stopGrace = wholeNumber(1, 0, 300)

/** Setting: the address of a trusted process, a socket file, or a host and port with mutual TLS. */
export function serviceAddress(socket: string): Setting<string> {
  return (text = `unix:${socket}`) => requireServiceAddress(text)
}

/** A PostgreSQL server, or several to try in turn: `postgres://user@host:port,host:port/database`. */
export const databaseUrl: Setting<string | undefined> = (text) => {
  if (text === undefined || isPostgresUrl(text)) return text
  throw invalid("write it as postgres://user@host:port/database")
}

function isPostgresUrl(text: string): boolean {
  const [, before, hosts, after] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/.exec(text) ?? []
  return hosts?.split(",").every((host) => URL.canParse(`${before}${host}${after}`)) ?? false
}

/** Setting: path of a file that can be read. Every secret is in a file. */
export const readableFile: Setting<string | undefined> = (path) => {
  const state = path === undefined ? "readable" : fileState(path)
  if (state !== "readable") throw invalid(`the file cannot be read (${state})`)
  return path
}

/** `readable`, or the code of the fault with which the file cannot be opened. */
function fileState(path: string): string {
  try {
    accessSync(path, constants.R_OK)
    return "readable"
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown fault"
  }
}

/** Setting: addresses and blocks of them, separated by commas. */
export const addressBlocks: Setting<readonly IpBlock[]> = shownBy(
  (text = "") =>
    separated(text).map((part) => {
      const block = readBlock(part)
      if (block === undefined) throw invalid("write addresses or blocks, as in 10.0.0.7, 10.1.0.0/16")
      return block
    }),
  (blocks) => blocks.map(writeIpBlock).join(", "),
)

/** Words separated by commas, without empty ones. */
export function separated(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
}

function readBlock(text: string): IpBlock | undefined {
  return readIpBlock(text) ?? readIpBlock(`${text}/${text.includes(":") ? 128 : 32}`)
}

/** The settings of a process. Some have defaults below a folder that another setting names. */
export type SettingsOf = (environment: Environment) => ServiceSettings<SettingsShape>

/**
 * Prints the faults of a process's settings as a JSON array of sentences. With `--list` it prints all settings and faults as a
 * JSON object. It starts nothing.
 */
export function printSettings(settingsOf: SettingsOf): void {
  const listing = listServiceSettings(settingsOf(process.env), process.env)
  console.log(JSON.stringify(process.argv.includes("--list") ? listing : listing.faults))
}

/** The settings of this process; with faulty ones the process ends, and standard error names all of them. */
export function readOrExit<Config>(read: (environment: Environment) => Config): Config {
  try {
    return read(process.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    sayFault(error.message, 2)
    return process.exit(2)
  }
}
