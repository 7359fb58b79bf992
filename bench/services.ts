import { mkdir, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Place } from "./places.ts"
import {
  analyze,
  borrowServer,
  type DatabaseServer,
  installationOf,
  startEmbedded,
} from "./system/database-server.ts"
import { startOwnPostgres } from "./system/own-postgres.ts"
import { buildSlowSync } from "./system/slow-sync.ts"
import { startSystem, type SystemStart } from "./system/system.ts"

/** A measurement that this machine does not allow, and why. */
export class NotRun extends Error {}

export const serviceNames = ["service", "slow disk", "external database", "mtls"] as const
type ServiceName = (typeof serviceNames)[number]

/** Options of a start that a benchmark changes. `apiSettings` has environment variables of the API. */
type ServiceVariation = Pick<SystemStart, "profileTo" | "localWebhooks" | "apiSettings">

/** Starts the whole system in the given variation. */
export async function startService(
  name: ServiceName,
  directory: string,
  { profileTo, localWebhooks, apiSettings }: ServiceVariation = {},
): Promise<Place & { databaseVersion: string; databaseUrl: string }> {
  await mkdir(directory, { mode: 0o755 })
  const database = await startDatabase(name, directory)
  try {
    const system = await startSystem({
      directory: join(directory, "system"),
      database,
      wire: name === "mtls" ? "mtls" : "unix",
      profileTo: name === "service" ? profileTo : undefined,
      ...(localWebhooks && { localWebhooks }),
      ...(apiSettings && { apiSettings }),
    })
    const { api, signer } = system
    const stop = async () => {
      await system.stop()
      await database.stop()
    }
    const processes = { api, signer, ...(database.pid === undefined ? {} : { postgres: database.pid }) }
    const settle = () => analyze(database.url)
    const { version: databaseVersion, url: databaseUrl } = database
    return { target: system.target, processes, settle, stop, databaseVersion, databaseUrl }
  } catch (error) {
    await database.stop()
    throw error
  }
}

function startDatabase(name: ServiceName, directory: string): Promise<DatabaseServer> {
  const place = join(directory, "postgres")
  switch (name) {
    case "service":
    case "mtls":
      return startEmbedded(place)
    case "slow disk":
      return startSlow(directory)
    case "external database":
      return startExternal(place)
    default:
      return name satisfies never
  }
}

/** The embedded server's own programs: only the disk differs. */
async function startSlow(directory: string): Promise<DatabaseServer> {
  const library = await buildSlowSync(directory)
  if (library === undefined) throw new NotRun("needs Linux and gcc, which builds the slow fsync")
  const example = await startEmbedded(join(directory, "example"))
  const installation = example.pid === undefined ? undefined : installationOf(example.pid)
  await example.stop()
  if (installation === undefined) throw new NotRun("needs /proc")
  return startOwnPostgres(installation, join(directory, "postgres"), { LD_PRELOAD: library })
}

/** DATABASE_URL, else the newest server of the distribution where one is installed. */
async function startExternal(directory: string): Promise<DatabaseServer> {
  const url = process.env["DATABASE_URL"]
  if (url) return borrowServer(url)
  const root = "/usr/lib/postgresql"
  const versions = (await readdir(root).catch(() => [])).toSorted((a, b) => Number(b) - Number(a))
  const [newest] = versions
  if (newest === undefined) throw new NotRun("needs DATABASE_URL or the distribution's PostgreSQL")
  return startOwnPostgres({ bin: join(root, newest, "bin"), ...(await unprivileged()) }, directory)
}

/** Root may not run PostgreSQL; the distribution's package has made a user for it. */
async function unprivileged(): Promise<{ uid: number; gid: number }> {
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(await readFile("/etc/passwd", "utf8")) ?? []
  if (uid === undefined) throw new NotRun("needs a user postgres to run a server as")
  return { uid: Number(uid), gid: Number(gid) }
}
