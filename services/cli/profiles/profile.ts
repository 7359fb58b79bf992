import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { closestName } from "../../../signer/core/closest-name.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import type { Settings } from "../../terminal-client/settings.ts"

/** The profile of the development system, which has no folder here. */
export const DEV = "dev"

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i

export type StoredProfile = {
  apiUrl: string
  organizationId: string
  /** Name of the key in the profile's keys folder that stamps, unless --as names another. */
  as: string
}

/** Folder of all profiles: below COUNTERSIGN_DATA_DIR if that is set, otherwise in the user's configuration. */
export function profilesFolder(
  { dataDirectory, dataDirectoryChosen }: Pick<Settings, "dataDirectory" | "dataDirectoryChosen">,
  environment: NodeJS.ProcessEnv,
): string {
  if (dataDirectoryChosen) return join(dataDirectory, "profiles")
  return join(environment["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "countersign", "profiles")
}

export function profileFolder(folder: string, name: string): string {
  return join(folder, name)
}

/** Names of the stored profiles. */
export function profileNames(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => existsSync(fileOf(folder, name)))
    .toSorted()
}

/** The profile that commands use if neither --profile nor COUNTERSIGN_PROFILE names one. */
export function activeProfile(folder: string): string {
  try {
    return readFileSync(join(folder, "active"), "utf8").trim() || DEV
  } catch {
    return DEV
  }
}

export async function setActiveProfile(folder: string, name: string): Promise<void> {
  await writePrivate(join(folder, "active"), `${name}\n`, folder)
}

/** @throws {CliError} usage: there is none of this name */
export function readProfile(folder: string, name: string): StoredProfile {
  const file = fileOf(folder, name)
  if (!existsSync(file)) throw unknownProfile(folder, name)
  try {
    return storedProfile(JSON.parse(readFileSync(file, "utf8")))
  } catch (cause) {
    throw new CliError(ExitCode.fault, `${file} is not a profile: make it again with npx countersign login`, {
      cause,
    })
  }
}

/** Three texts; every command reads them, and a library of schemas loads for longer than most commands run. */
function storedProfile(value: Partial<Record<keyof StoredProfile, unknown>>): StoredProfile {
  const { apiUrl, organizationId, as } = value
  if (typeof apiUrl !== "string" || typeof organizationId !== "string" || typeof as !== "string")
    throw new TypeError("a profile has apiUrl, organizationId and as, each a text")
  return { apiUrl, organizationId, as }
}

export async function writeProfile(folder: string, name: string, profile: StoredProfile): Promise<void> {
  await writePrivate(
    fileOf(folder, name),
    `${JSON.stringify(profile, undefined, 2)}\n`,
    profileFolder(folder, name),
  )
}

export async function deleteProfile(folder: string, name: string): Promise<void> {
  readProfile(folder, name)
  await rm(profileFolder(folder, name), { recursive: true })
  if (activeProfile(folder) === name) await rm(join(folder, "active"), { force: true })
}

/** @throws {CliError} usage */
export function requireProfileName(name: string): void {
  if (name === DEV) throw usage(`${DEV} is the profile of the development system: choose another name`)
  if (NAME.test(name)) return
  const rule = "1 to 64 letters, digits, dots, dashes, underscores; the first a letter or digit"
  throw usage(`“${name}” cannot name a profile: ${rule}`)
}

/** The settings with those of the chosen profile. `named`: by --profile. @throws {CliError} usage */
export function withProfile(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
  named: string | undefined,
): Settings {
  const folder = profilesFolder(settings, environment)
  const name = named ?? (environment["COUNTERSIGN_PROFILE"] || activeProfile(folder))
  if (name === DEV) return settings
  const { apiUrl, organizationId, as } = readProfile(folder, name)
  const own = profileFolder(folder, name)
  return {
    ...settings,
    apiUrl,
    keysFolder: join(own, "keys"),
    pinsFile: join(own, "pins.json"),
    requestsFolder: join(own, "requests"),
    // The development system's dashboard belongs to another profile.
    dashboardUrl: environment["COUNTERSIGN_DASHBOARD_LISTEN"] ? settings.dashboardUrl : undefined,
    profile: { name, organizationId, as },
  }
}

function unknownProfile(folder: string, name: string): CliError {
  const names = [DEV, ...profileNames(folder)]
  const near = closestName(name, names)
  const known = near === undefined ? `there is ${names.join(", ")}` : `did you mean ${near}?`
  return usage(`there is no profile “${name}”: ${known}. New one: npx countersign login NAME`)
}

function fileOf(folder: string, name: string): string {
  return join(folder, name, "profile.json")
}

async function writePrivate(file: string, text: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}
