import { existsSync } from "node:fs"
import { join } from "node:path"
import { linesOfSettings, type SettingsListing } from "../../signer/core/settings/listing.ts"
import { listServiceSettings, type SettingsOf } from "../common/settings.ts"
import { type ProcessName, PROCESSES, ROOT } from "./programs.ts"

/** The settings of these processes, of those that are installed, as each of them reads them. */
export async function listSettings(
  names: readonly ProcessName[],
  environment: NodeJS.ProcessEnv,
): Promise<SettingsListing> {
  const listings = await Promise.all(
    installed(names).map((name) => listingOf(PROCESSES[name].folder, environment)),
  )
  return {
    settings: listings.flatMap(({ settings }) => settings),
    // Each process checks the settings that it shares with others.
    faults: [...new Set(listings.flatMap(({ faults }) => faults))],
  }
}

export function installed<Name extends ProcessName>(names: readonly Name[]): Name[] {
  return names.filter((name) => existsSync(fileOf(PROCESSES[name].folder)))
}

/** The settings of one process, read by code of its own zone, which an installation may lack. */
export async function listingOf(folder: string, environment: NodeJS.ProcessEnv): Promise<SettingsListing> {
  const { settingsOf } = (await import(fileOf(folder))) as { settingsOf: SettingsOf }
  return listServiceSettings(settingsOf(environment), environment)
}

const fileOf = (folder: string) => join(ROOT, folder, "./check-settings.ts")

/** The settings of each process below its name. */
export function linesOfListing({ settings }: SettingsListing): string[] {
  const processes = [...new Set(settings.map(({ process }) => process))]
  return processes.flatMap((process) => [
    process,
    ...linesOfSettings(settings.filter((setting) => setting.process === process)).map((line) => `  ${line}`),
  ])
}
