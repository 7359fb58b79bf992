import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { unknownSettings } from "../../../signer/core/settings/names.ts"
import { faultsOf, SettingsError } from "../../../signer/core/settings/settings.ts"
import { isLoopback, listenSettings } from "../../common/settings.ts"
import { CliError, ExitCode } from "../exit.ts"
import {
  directoryOf,
  type OwnValues,
  type Settings,
  settingsOf,
  unusable,
  writeAddress,
} from "../settings.ts"
import { faultsOfPlace } from "./directory.ts"
import { faultsOfLength, layout, settingsChecks } from "./layout.ts"
import { decidedHere, passedTo, type Process } from "./passed-on.ts"

const LISTEN = Object.keys(listenSettings) as (keyof typeof listenSettings)[]
const PROCESSES = Object.keys(settingsChecks) as Process[]

/**
 * Reads the settings of the whole system, before anything is made and any port opens.
 *
 * @throws {CliError} naming all faults of all processes at once
 */
export async function readSystemSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const own = faultsOf(() => settingsOf(environment, faultsOfSystem))
  const ofProcesses = await Promise.all(PROCESSES.map((name) => faultsOfProcess(name, environment)))
  // What several processes read is told once.
  const faults = [...new Set([...own, ...faultsOfDecided(environment), ...ofProcesses.flat()])]
  if (faults.length > 0) throw unusable(new SettingsError(faults))
  return settingsOf(environment)
}

/** What a development system cannot do, whatever its processes could: it has a seed in a file and no TLS. */
function faultsOfSystem(values: OwnValues): string[] {
  const directory = directoryOf(values)
  return [
    ...LISTEN.flatMap((name) => {
      const address = values[name]
      if (address === undefined || isLoopback(address)) return []
      const advice = `where countersign dev never listens: write localhost:${address.port}`
      return [`${name}: ${writeAddress(address)} is beyond the loopback, ${advice}`]
    }),
    ...faultsOfPorts(values),
    ...faultsOfLength(layout(directory)),
    ...faultsOfPlace(directory),
  ]
}

/** Port 0 is any; of two that are the same, one could not be opened. */
function faultsOfPorts(values: OwnValues): string[] {
  const [api, proxy] = [values.COUNTERSIGN_API_LISTEN, values.COUNTERSIGN_AUTH_PROXY_LISTEN]
  if (!api || !proxy || proxy.port === 0 || api.port !== proxy.port) return []
  return [`COUNTERSIGN_AUTH_PROXY_LISTEN: port ${proxy.port} is that of COUNTERSIGN_API_LISTEN too`]
}

function faultsOfDecided(environment: NodeJS.ProcessEnv): string[] {
  return decidedHere
    .filter((name) => environment[name])
    .map((name) => `${name}: countersign dev decides this by itself; leave it unset`)
}

/** The process's own reader tells. It is asked about what is passed on to it; what `dev` gives it has no faults. */
async function faultsOfProcess(name: Process, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const unknown = new Set(unknownSettings(environment))
  const known = Object.fromEntries(Object.entries(environment).filter(([setting]) => !unknown.has(setting)))
  const run = promisify(execFile)(process.execPath, [settingsChecks[name]], {
    // A place that suits every process: only paths are made of it.
    env: { ...passedTo(name, known), COUNTERSIGN_DATA_DIR: "/" },
  })
  const { stdout } = await run.catch((cause: Error & { stderr?: string }) => {
    throw new CliError(ExitCode.fault, cause.stderr?.trim() || cause.message, { cause })
  })
  return JSON.parse(stdout) as string[]
}
