import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { parseEnv } from "node:util"
import { dataDirectoryOf, type HostAndPort, optionalText } from "../../signer/core/settings/kinds.ts"
import {
  type CrossCheck,
  type Environment,
  SettingsError,
  type Values,
} from "../../signer/core/settings/settings.ts"
import { databaseUrl, listenSettings, readServiceSettings } from "../common/settings.ts"
import { CliError, ExitCode } from "./exit.ts"

/** The directory of package.json. */
export const packageRoot = resolve(import.meta.dirname, "../..")

/** What the environment tells the command. */
export type Settings = {
  /** COUNTERSIGN_DATA_DIR, or `.countersign` beside package.json: where one stands does not matter. */
  dataDirectory: string
  /** Whether COUNTERSIGN_DATA_DIR is set: then other commands need it as well. */
  dataDirectoryChosen: boolean
  /** `.env.local` beside package.json, or in the data directory when that was chosen. */
  envFile: string
  keysFolder: string
  /** The deployment this profile trusts. */
  pinsFile: string
  /** Where `dev` lets API and auth proxy listen. */
  apiListen: HostAndPort
  authProxyListen: HostAndPort
  /** Where all other commands look for the API: as set, else where the last `dev` said it is, else the default. */
  apiUrl: string
  /** A PostgreSQL of the user's own. */
  databaseUrl: string | undefined
}

const shape = {
  ...listenSettings,
  COUNTERSIGN_DATA_DIR: optionalText,
  DATABASE_URL: databaseUrl,
}

/** Those of them that were read without fault. */
export type OwnValues = Partial<Values<typeof shape>>

/** The settings that the command itself reads. */
export const ownSettings: readonly string[] = Object.keys(shape)

/** @throws {CliError} naming all faults at once */
export function readSettings(environment: Environment): Settings {
  try {
    return settingsOf(environment)
  } catch (error) {
    if (error instanceof SettingsError) throw unusable(error)
    throw error
  }
}

/** @throws {SettingsError} naming all faults at once, those that `check` finds among them */
export function settingsOf(environment: Environment, check?: CrossCheck<typeof shape>): Settings {
  const values = readServiceSettings(shape, environment, check)
  const chosen = values.COUNTERSIGN_DATA_DIR
  const dataDirectory = directoryOf(values)
  const envFile = join(chosen === undefined ? packageRoot : dataDirectory, ".env.local")
  const announced = environment.COUNTERSIGN_API_LISTEN ? undefined : announcedUrl(envFile)
  return {
    dataDirectory,
    dataDirectoryChosen: chosen !== undefined,
    envFile,
    keysFolder: join(dataDirectory, "keys"),
    pinsFile: join(dataDirectory, "pins.json"),
    apiListen: values.COUNTERSIGN_API_LISTEN,
    authProxyListen: values.COUNTERSIGN_AUTH_PROXY_LISTEN,
    apiUrl: announced ?? apiUrl(values.COUNTERSIGN_API_LISTEN),
    databaseUrl: values.DATABASE_URL,
  }
}

export function directoryOf({ COUNTERSIGN_DATA_DIR }: OwnValues): string {
  return dataDirectoryOf({ COUNTERSIGN_DATA_DIR })
}

/** What the person at the terminal is told of settings that cannot be used. */
export function unusable(error: SettingsError): CliError {
  return new CliError(ExitCode.usage, error.message, { cause: error })
}

/** BASE_URL of the file that `dev` writes for examples. */
function announcedUrl(envFile: string): string | undefined {
  try {
    const { BASE_URL } = parseEnv(readFileSync(envFile, "utf8"))
    return BASE_URL && URL.canParse(BASE_URL) ? BASE_URL : undefined
  } catch {
    return undefined
  }
}

/** As a listen address is written. */
export function writeAddress({ host, port }: HostAndPort): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** Base URL of an API that listens there; one that listens everywhere is called by the name of this machine. */
export function apiUrl({ host, port }: HostAndPort): string {
  const isAnywhere = host === "0.0.0.0" || host === "::"
  return `http://${writeAddress({ host: isAnywhere ? "localhost" : host, port })}`
}
