import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseEnv } from "node:util"
import {
  type CrossCheck,
  dataDirectoryOf,
  type Environment,
  type HostAndPort,
  optionalText,
  readSettings as readSettingsOf,
  SettingsError,
  type SettingValues,
} from "../../signer/core/settings/settings.ts"
import { databaseUrl, listenSettings, localUrl } from "../common/settings.ts"
import { type CliError, usage } from "./exit.ts"

/** The directory of package.json. */
export const packageRoot = resolve(import.meta.dirname, "../..")

/** Settings of the command, from the environment. */
export type Settings = {
  /** COUNTERSIGN_DATA_DIR, or `.countersign` beside package.json. */
  dataDirectory: string
  /** True if COUNTERSIGN_DATA_DIR is set. Suggested commands then set it too. */
  dataDirectoryChosen: boolean
  /** `.env.local` beside package.json, or in the data directory if that is set. */
  envFile: string
  keysFolder: string
  /** Pins of the trusted deployment. */
  pinsFile: string
  /** Addresses on which `dev` starts API, auth proxy, worker and dashboard. */
  apiListen: HostAndPort
  authProxyListen: HostAndPort
  workerListen: HostAndPort
  dashboardListen: HostAndPort
  /** Base URL for the other commands: from the settings, from the last `dev`, or the default. */
  apiUrl: string
  /** Address of a dashboard: from the settings, or from the last `dev`. Undefined: none is configured. */
  dashboardUrl: string | undefined
  /** URL of a PostgreSQL server; undefined: embedded. */
  databaseUrl: string | undefined
  /** Requests without outcome, which a repeated command sends again. */
  requestsFolder: string
  /** The chosen profile; undefined: that of the development system. */
  profile?: { name: string; organizationId: string; as: string }
}

const shape = {
  ...listenSettings,
  COUNTERSIGN_DATA_DIR: optionalText,
  COUNTERSIGN_PROFILE: optionalText,
  DATABASE_URL: databaseUrl,
}

/** Values of the settings that have no fault. */
export type CliSettingValues = Partial<SettingValues<typeof shape>>

/** Names of the settings that the command reads. */
export const cliSettingNames: readonly string[] = Object.keys(shape)

/** @throws {CliError} naming all faults at once */
export function readSettings(environment: Environment): Settings {
  try {
    return settingsOf(environment)
  } catch (error) {
    if (error instanceof SettingsError) throw settingsError(error)
    throw error
  }
}

/** @throws {SettingsError} naming all faults at once, those that `check` finds among them */
export function settingsOf(environment: Environment, check?: CrossCheck<typeof shape>): Settings {
  const values = readSettingsOf(shape, environment, { check })
  const chosen = values.COUNTERSIGN_DATA_DIR
  const dataDirectory = directoryOf(values)
  const envFile = join(chosen === undefined ? packageRoot : dataDirectory, ".env.local")
  // Port 0 is chosen at the start, which writes the address to the file.
  const isSet = (name: "COUNTERSIGN_API_LISTEN" | "COUNTERSIGN_DASHBOARD_LISTEN") =>
    Boolean(environment[name]) && values[name].port !== 0
  const urlOf = (
    name: "COUNTERSIGN_API_LISTEN" | "COUNTERSIGN_DASHBOARD_LISTEN",
    variable: "BASE_URL" | "DASHBOARD_URL",
  ) => {
    const announced = urlFromEnvFile(envFile, variable)
    const own = localUrl(values[name])
    // `dev --https` announces the same address with another scheme.
    return isSet(name) && announced?.replace(/^https:/, "http:") !== own ? own : announced
  }
  return {
    dataDirectory,
    dataDirectoryChosen: chosen !== undefined,
    envFile,
    keysFolder: join(dataDirectory, "keys"),
    pinsFile: join(dataDirectory, "pins.json"),
    requestsFolder: join(dataDirectory, "requests"),
    apiListen: values.COUNTERSIGN_API_LISTEN,
    authProxyListen: values.COUNTERSIGN_AUTH_PROXY_LISTEN,
    workerListen: values.COUNTERSIGN_WORKER_LISTEN,
    dashboardListen: values.COUNTERSIGN_DASHBOARD_LISTEN,
    apiUrl: urlOf("COUNTERSIGN_API_LISTEN", "BASE_URL") ?? localUrl(values.COUNTERSIGN_API_LISTEN),
    dashboardUrl: urlOf("COUNTERSIGN_DASHBOARD_LISTEN", "DASHBOARD_URL"),
    databaseUrl: values.DATABASE_URL,
  }
}

export function directoryOf({ COUNTERSIGN_DATA_DIR }: CliSettingValues): string {
  return dataDirectoryOf({ COUNTERSIGN_DATA_DIR })
}

/** A usage fault with all faults of the settings. */
export function settingsError(error: SettingsError): CliError {
  return usage(error.message.split("\n"), { cause: error })
}

/** A URL of the file that `dev` writes. */
function urlFromEnvFile(envFile: string, name: "BASE_URL" | "DASHBOARD_URL"): string | undefined {
  try {
    const url = parseEnv(readFileSync(envFile, "utf8"))[name]
    return url && URL.canParse(url) ? url : undefined
  } catch {
    return undefined
  }
}
