import { createHash, randomBytes } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { startTestServer } from "../../scripts/test-server.ts"
import {
  closeDatabase,
  connectDatabase,
  type Database,
  type Queries,
} from "../../services/database/database.ts"
import { MIGRATIONS, migrate } from "../../services/api/store/migrate.ts"
import { atEnd } from "./at-end.ts"

/** A database of its own for one test, with the schema in place. */
export type TestDatabase = {
  sql: Database
  /** For DATABASE_URL of a process under test. */
  url: string
  /** Runs by itself when the test ends. */
  drop(): Promise<void>
}

/** The part of tap's test that runs clean-ups. */
type Teardown = { teardown(clean: () => Promise<void>): unknown }

/**
 * Makes a database by copying a template, some 50 ms. The server is the one that `npm test` names in
 * TEST_DATABASE_URL (scripts/test-server.ts), else an embedded one that lives as long as this process.
 */
export async function freshDatabase(
  t: Teardown,
  options: { migrated?: boolean } = {},
): Promise<TestDatabase> {
  const { url, template, strategy } = await (server ??= startServer())
  const name = `countersign_test_${randomBytes(6).toString("hex")}`
  const source = options.migrated === false ? "template1" : template
  await withSession(
    url,
    (admin) => admin`create database ${admin(name)} template ${admin(source)} ${admin.unsafe(strategy)}`,
  )
  const own = withDatabase(url, name)
  const sql = connectDatabase({ url: own })
  let dropped: Promise<void> | undefined
  const drop = () =>
    (dropped ??= closeDatabase(sql).then(() => withSession(url, (admin) => dropDatabase(admin, name))))
  t.teardown(drop)
  return { sql, url: own, drop }
}

/** The server's URL: given to child processes as TEST_DATABASE_URL, it makes them share this server. */
export async function testServerUrl(): Promise<string> {
  return (await (server ??= startServer())).url
}

/** `strategy`: how the server copies a template, as the end of a statement. */
type Server = { url: string; template: string; strategy: string }

/** On a server without fsync, copying files takes half of the processor time of copying through the write-ahead log. */
const COPY_OF_FILES = "strategy = file_copy"

let server: Promise<Server> | undefined

async function startServer(): Promise<Server> {
  const url = process.env.TEST_DATABASE_URL ?? (await startOwnServer())
  return withSession(url, async (admin) => {
    const [{ fsync } = { fsync: "on" }] = await admin<{ fsync: string }[]>`show fsync`
    // Only servers of tests have it off (scripts/test-server.ts).
    const strategy = fsync === "off" ? COPY_OF_FILES : ""
    return { url, template: await makeTemplate(admin, url), strategy }
  })
}

/** Named after the migrations: processes that share a server share it, and a changed schema gets a new one. */
async function makeTemplate(admin: Database, url: string): Promise<string> {
  const digest = createHash("sha256")
  for (const name of readdirSync(MIGRATIONS).toSorted())
    digest.update(name).update(readFileSync(join(MIGRATIONS, name)))
  const template = `countersign_template_${digest.digest("hex").slice(0, 12)}`
  // A lock of the session, which ends with it: `create database` runs in no transaction.
  await admin`select pg_advisory_lock(hashtext(${template}))`
  const [known] = await admin`select 1 from pg_database where datname = ${template}`
  if (known) return template
  const staging = `${template}_staging`
  await dropDatabase(admin, staging)
  await admin`create database ${admin(staging)}`
  const sql = connectDatabase({ url: withDatabase(url, staging) }, { max: 1, statementTimeoutMs: 0 })
  try {
    await migrate(sql)
  } finally {
    await closeDatabase(sql)
  }
  await admin`alter database ${admin(staging)} rename to ${admin(template)}`
  return template
}

async function dropDatabase(admin: Database, name: string): Promise<void> {
  await admin`drop database if exists ${admin(name)} with (force)`
}

/** A connection left open would keep the process from ending. */
async function withSession<T>(url: string, work: (admin: Database) => Promise<T>): Promise<T> {
  const admin = connectDatabase({ url }, { max: 1, statementTimeoutMs: 0 })
  try {
    return await work(admin)
  } finally {
    await closeDatabase(admin)
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Stops the server when this process has no more work, or receives a signal. */
async function startOwnServer(): Promise<string> {
  const { url, stop } = await startTestServer()
  atEnd(stop)
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.once(signal, () => void stop().finally(() => process.kill(process.pid, signal)))
  }
  return url
}

/**
 * Number of statements with this text that wait for a lock. Tests beside this one use the same server, so only those of this database
 * count.
 */
export async function lockWaits(sql: Queries, text = ""): Promise<number> {
  const [found] = await sql<{ waits: number }[]>`
    select count(*)::int as waits from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and position(${text} in query) > 0`
  return found?.waits ?? 0
}

/** Ends the sessions of this database that wait for a lock, those of a process that was killed. */
export async function endLockWaits(sql: Queries): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and wait_event_type = 'Lock'`
}
