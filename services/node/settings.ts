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

/**
 * The settings of one process, read by code of its own zone, which an installation may lack. Code that fails is a fault of this
 * process alone: the others are listed all the same.
 */
export async function listingOf(
  folder: string,
  environment: NodeJS.ProcessEnv,
  root: string = ROOT,
): Promise<SettingsListing> {
  try {
    const { settingsOf } = (await import(fileOf(folder, root))) as { settingsOf: SettingsOf }
    return listServiceSettings(settingsOf(environment), environment)
  } catch (error) {
    const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n")
    const sentence = `${folder}: its settings could not be read: ${line}; install this release again`
    return { settings: [], faults: [sentence] }
  }
}

const fileOf = (folder: string, root = ROOT) => join(root, folder, "./check-settings.ts")

/** The settings of each process below its name. */
export function linesOfListing({ settings }: SettingsListing): string[] {
  const processes = [...new Set(settings.map(({ process }) => process))]
  return processes.flatMap((process) => [
    process,
    ...linesOfSettings(settings.filter((setting) => setting.process === process)).map((line) => `  ${line}`),
  ])
}
