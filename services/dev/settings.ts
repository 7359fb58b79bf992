import {
  faultsOf,
  SettingsError,
  unknownSettings,
  writeAddress,
} from "../../signer/core/settings/settings.ts"
import { isLoopback, listenSettings } from "../common/settings.ts"
import {
  directoryOf,
  type CliSettingValues,
  type Settings,
  settingsOf,
  settingsError,
} from "../terminal-client/settings.ts"
import { dataDirectoryFaults } from "./directory.ts"
import { socketPathFaults, layout, settingsChecks } from "./layout.ts"
import { managedSettings, environmentFor, type ChildName } from "./process-environment.ts"
import { outputOf } from "./run-program.ts"

const LISTEN = Object.keys(listenSettings) as (keyof typeof listenSettings)[]
const PROCESSES = Object.keys(settingsChecks) as ChildName[]

/**
 * Reads the settings of all processes before anything is created and any port opens.
 *
 * @throws {CliError} with all faults of all processes at once
 */
export async function readSystemSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  // One fault says all about this one: `dev` refuses it.
  const development = { ...environment, COUNTERSIGN_PRODUCTION: undefined }
  const own = faultsOf(() => settingsOf(development, systemFaults))
  const ofProcesses = await Promise.all(PROCESSES.map((name) => processFaults(name, environment)))
  // A fault that several processes find is listed once.
  const faults = [...new Set([...own, ...managedSettingFaults(environment), ...ofProcesses.flat()])]
  if (faults.length > 0) throw settingsError(new SettingsError(faults))
  return settingsOf(environment)
}

/** Faults that only `dev` has: with a seed file and without TLS it must stay on the loopback. */
function systemFaults(values: CliSettingValues): string[] {
  const directory = directoryOf(values)
  return [
    ...LISTEN.flatMap((name) => {
      const address = values[name]
      if (address === undefined || isLoopback(address)) return []
      const advice = `where countersign dev does not listen; use localhost:${address.port}`
      return [`${name}: ${writeAddress(address)} is beyond the loopback, ${advice}`]
    }),
    ...portFaults(values),
    ...socketPathFaults(layout(directory)),
    ...dataDirectoryFaults(directory),
  ]
}

/** The processes that `dev` starts need different ports, unless the port is 0. */
function portFaults(values: CliSettingValues): string[] {
  const taken = new Map<number, string>()
  const faults: string[] = []
  for (const name of STARTED) {
    const port = values[name]?.port ?? 0
    const other = taken.get(port)
    if (port !== 0 && other !== undefined) faults.push(`${name}: port ${port} is also that of ${other}`)
    taken.set(port, name)
  }
  return faults
}

const STARTED = [
  "COUNTERSIGN_API_LISTEN",
  "COUNTERSIGN_AUTH_PROXY_LISTEN",
  "COUNTERSIGN_DASHBOARD_LISTEN",
  "COUNTERSIGN_WORKER_LISTEN",
] as const

const WHY_UNSET: { readonly [name: string]: string } = {
  COUNTERSIGN_PRODUCTION: "countersign dev is for development",
}

function managedSettingFaults(environment: NodeJS.ProcessEnv): string[] {
  return managedSettings
    .filter((name) => environment[name])
    .map((name) => `${name}: ${WHY_UNSET[name] ?? "countersign dev sets this itself"}; leave it unset`)
}

/** Faults that the process's own settings check finds in the variables passed to it. */
async function processFaults(name: ChildName, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const unknown = new Set(unknownSettings(environment))
  const known = Object.fromEntries(Object.entries(environment).filter(([setting]) => !unknown.has(setting)))
  const passed = environmentFor(name, known)
  // Most starts set nothing for most processes, and defaults have no faults: then no check has to be started.
  if (!Object.keys(passed).some(isSetting)) return []
  // Any directory will do: the check only builds paths from it.
  return JSON.parse(
    await outputOf([settingsChecks[name]], { ...passed, COUNTERSIGN_DATA_DIR: "/" }),
  ) as string[]
}

/** A variable that some process reads as a setting. */
function isSetting(name: string): boolean {
  return /^(?:COUNTERSIGN_|OTEL_)/.test(name) || name === "DATABASE_URL"
}
