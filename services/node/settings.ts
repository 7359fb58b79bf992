import { existsSync } from "node:fs"
import { join } from "node:path"
import { linesOfSettings, type SettingsListing } from "../../signer/core/settings/listing.ts"
import { type ProcessName, PROCESSES, ROOT, runProgram } from "./programs.ts"

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
  return names.filter((name) => existsSync(join(ROOT, PROCESSES[name].folder, "check-settings.ts")))
}

/** The settings of one process, read by a program of its own zone. */
export async function listingOf(folder: string, environment: NodeJS.ProcessEnv): Promise<SettingsListing> {
  const { out, log } = await runProgram(`${folder}/check-settings.ts`, ["--list"], environment)
  try {
    return JSON.parse(out) as SettingsListing
  } catch {
    return { settings: [], faults: [log.trim() || "the settings could not be read"] }
  }
}

/** The settings of each process below its name. */
export function linesOfListing({ settings }: SettingsListing): string[] {
  const processes = [...new Set(settings.map(({ process }) => process))]
  return processes.flatMap((process) => [
    process,
    ...linesOfSettings(settings.filter((setting) => setting.process === process)).map((line) => `  ${line}`),
  ])
}
