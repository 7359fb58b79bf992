import { randomBytes } from "node:crypto"
import { readlinkSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { closeDatabase, connectDatabase, type Database } from "../../services/database/database.ts"
import { startEmbeddedPostgres } from "../../services/dev/embedded-postgres.ts"

/** A PostgreSQL server with an empty database for us. */
export type DatabaseServer = {
  url: string
  /** Its first process, the parent of all others; undefined when it is somewhere else. */
  pid: number | undefined
  /** As PostgreSQL calls itself. */
  version: string
  stop(): Promise<void>
}

/** The server that the system brings along. */
export async function startEmbedded(directory: string): Promise<DatabaseServer> {
  const server = await startEmbeddedPostgres({ directory, log: () => undefined })
  const { url, pid } = server
  return { url, pid, version: await versionOf(url), stop: () => server.stop() }
}

/** Folder of a running server's programs and the account that it runs as; undefined where the kernel shows neither. */
export function installationOf(pid: number): { bin: string; uid: number; gid: number } | undefined {
  try {
    const { uid, gid } = statSync(`/proc/${pid}`)
    return { bin: dirname(readlinkSync(`/proc/${pid}/exe`)), uid, gid }
  } catch {
    return undefined
  }
}

/** A database of our own on somebody's server; it is removed at the end. */
export async function borrowServer(url: string): Promise<DatabaseServer> {
  const name = `countersign_bench_${randomBytes(6).toString("hex")}`
  await withSession(url, (sql) => sql`create database ${sql(name)}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return {
    url: own.href,
    pid: undefined,
    version: await versionOf(url),
    stop: async () => {
      await withSession(url, (sql) => sql`drop database ${sql(name)} with (force)`)
    },
  }
}

/** Does autovacuum's work at once. Cached plans are made again. */
export async function analyze(url: string): Promise<void> {
  await withSession(url, (sql) => sql`analyze`)
}

/** Throws while the server does not answer. */
export async function versionOf(url: string): Promise<string> {
  const [row] = await withSession(
    url,
    (sql) => sql<{ version: string }[]>`
    select split_part(current_setting('server_version'), ' ', 1) as version`,
  )
  return row?.version ?? "unknown"
}

async function withSession<T>(url: string, work: (sql: Database) => Promise<T>): Promise<T> {
  const sql = connectDatabase({ url }, { max: 1, statementTimeoutMs: 0 })
  try {
    return await work(sql)
  } finally {
    await closeDatabase(sql)
  }
}
