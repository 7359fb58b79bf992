import { existsSync, readFileSync } from "node:fs"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { layout } from "../dev/layout.ts"
import { CliError, usage } from "../terminal-client/exit.ts"
import { type NamedKey, readKey } from "../terminal-client/key-folder.ts"
import type { Settings } from "../terminal-client/settings.ts"

/** Options of all commands that call an API. */
export type ApiOptions = { api?: string; keysFolder?: string; profile?: string; json?: boolean }
/** Options of the commands that stamp. */
export type StampOptions = ApiOptions & { as?: string; organization?: string }

/** Name of the key that stamps if neither --as nor a profile names one. */
const DEFAULT_KEY = "root"

/** The named API, or the local one. @throws {CliError} usage: not a URL, or one with more than host and port */
export function clientOf(options: ApiOptions, settings: Settings): { url: string } {
  const client = { url: urlOf(options, settings) }
  if (/^https:\/\/localhost(?::|$)/.test(client.url)) trustOwnAuthority(settings)
  return client
}

/** Commands trust the authority of `dev --https` if they use its data directory. */
function trustOwnAuthority({ dataDirectory }: Settings): void {
  const { authority } = layout(dataDirectory)
  if (!existsSync(authority)) return
  setDefaultCACertificates([...getCACertificates("default"), readFileSync(authority, "utf8")])
}

function urlOf({ api }: ApiOptions, { apiUrl }: Settings): string {
  if (api === undefined) return apiUrl
  const isHttp = URL.canParse(api) && /^https?:\/\//i.test(api)
  if (!isHttp) throw usage(`--api ${api}: not a URL; use http:// or https:// with a host`)
  const { origin, pathname, search, hash } = new URL(api)
  if (pathname === "/" && search === "" && hash === "") return api
  const advice = `the API's address ends with host and port: --api ${origin}`
  throw usage(`--api ${api}: there is more behind the host; ${advice}`)
}

/** The stamping key and its organization. @throws {CliError} usage: no such key */
export async function findStampingKey(
  { as: name, keysFolder, organization }: StampOptions,
  settings: Settings,
): Promise<{ key: NamedKey; organizationId: string | undefined }> {
  const { profile } = settings
  const isDev = keysFolder === undefined && profile === undefined
  if (isDev) requireDataDirectory(settings)
  const wanted = name ?? profile?.as ?? DEFAULT_KEY
  const key = await readKey(keysFolder ?? settings.keysFolder, wanted).catch((error: unknown) => {
    throw isDev && isStarting(settings) ? afterStart(error) : error
  })
  return { key, organizationId: organization ?? profile?.organizationId ?? key.organizationId }
}

/** True if `dev` runs and has not yet made the development keys, which it never does with --no-seed. */
function isStarting({ dataDirectory }: Settings): boolean {
  const { lock, seeded } = layout(dataDirectory)
  return existsSync(lock) && !existsSync(seeded)
}

function afterStart(error: unknown): unknown {
  if (!(error instanceof CliError)) return error
  const advice = "If it is starting, wait until `npm start` says Ready"
  return new CliError(error.code, `${error.message}. ${advice}`, { cause: error })
}

/** Reports a missing data directory before a missing key. */
function requireDataDirectory({ dataDirectory, dataDirectoryChosen }: Settings): void {
  if (existsSync(dataDirectory)) return
  const named = dataDirectoryChosen ? "COUNTERSIGN_DATA_DIR has changed, or " : ""
  throw usage(
    `there is no data directory ${dataDirectory}: ${named}npm start has never run there. ` +
      "Run it in another terminal, or name your keys folder with --keys-folder DIRECTORY",
  )
}

export function requireOrganization(organizationId: string | undefined): string {
  if (organizationId) return organizationId
  throw usage("no organization: the key's files name none; use --organization ID")
}
