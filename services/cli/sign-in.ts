import { existsSync } from "node:fs"
import { CliError, ExitCode } from "./exit.ts"
import { type NamedKey, readKey } from "./key-folder.ts"
import type { Settings } from "./settings.ts"

/** Options of all commands that talk to an API. */
export type Common = { api?: string; keysFolder?: string; json?: boolean }
/** Options of those that stamp. */
export type As = Common & { as: string; organization?: string }

/** The API that is named, else the one that runs here. @throws {CliError} usage, when it is no address */
export function clientOf({ api }: Common, { apiUrl }: Settings): { url: string } {
  if (api === undefined) return { url: apiUrl }
  const isHttp = URL.canParse(api) && /^https?:\/\//i.test(api)
  if (isHttp) return { url: api }
  throw new CliError(
    ExitCode.usage,
    `--api ${api}: the URL must begin with http:// or https://, host behind it`,
  )
}

/** The key that stamps, and the organization that is meant. @throws {CliError} usage, when there is no such key */
export async function signIn(
  { as: name, keysFolder, organization }: As,
  settings: Settings,
): Promise<{ key: NamedKey; organizationId: string | undefined }> {
  if (keysFolder === undefined) requireDataDirectory(settings)
  const key = await readKey(keysFolder ?? settings.keysFolder, name)
  return { key, organizationId: organization ?? key.organizationId }
}

/** Without it a key is not what is missing. */
function requireDataDirectory({ dataDirectory, dataDirectoryChosen }: Settings): void {
  if (existsSync(dataDirectory)) return
  const named = dataDirectoryChosen ? "COUNTERSIGN_DATA_DIR names another than it used, or " : ""
  throw new CliError(
    ExitCode.usage,
    `there is no data directory ${dataDirectory}: ${named}npm start has never run there. ` +
      "Run it in another terminal; or name the folder of your keys, --keys-folder DIRECTORY",
  )
}
