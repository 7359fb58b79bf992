import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { closeDatabase, connectDatabase } from "../services/database/database.ts"
import { startEmbeddedPostgres } from "../services/dev/embedded-postgres.ts"

/** A server on which test files make their databases. */
export type TestServer = { url: string; stop(): Promise<void> }

/**
 * The environment for tests. A test that needs a database makes one on the server that TEST_DATABASE_URL names, and
 * drops it. DATABASE_URL is removed, so that no program under test can write to the database it names.
 */
export function testEnvironment(environment: NodeJS.ProcessEnv, server?: { url: string }): NodeJS.ProcessEnv {
  const { DATABASE_URL, ...rest } = environment
  const url = DATABASE_URL || rest["TEST_DATABASE_URL"] || server?.url
  return url === undefined ? rest : { ...rest, TEST_DATABASE_URL: url }
}

/** Starts an embedded server in a directory of its own. Both are removed at the latest when this process exits. */
export async function startTestServer(): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), "countersign-test-"))
  const postgres = await startEmbeddedPostgres({ directory, log: () => undefined })
  const remove = () => {
    for (const path of [directory, postgres.home])
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  }
  let stopping: Promise<void> | undefined
  const lock = join(postgres.home, "data", "postmaster.pid")
  const cell = new Int32Array(new SharedArrayBuffer(4))
  // Nothing asynchronous runs after process.exit. SIGQUIT ends a server at once.
  process.once("exit", () => {
    if (stopping) return
    process.kill(postgres.pid, "SIGQUIT")
    for (let waitedMs = 0; waitedMs < 2_000 && existsSync(lock); waitedMs += 10) Atomics.wait(cell, 0, 0, 10)
    remove()
  })
  await disableDurability(postgres.url)
  return { url: postgres.url, stop: () => (stopping ??= postgres.stop().then(remove)) }
}

/** Makes the server faster: its data is not needed after a crash. Durability is tested on other servers. */
async function disableDurability(url: string): Promise<void> {
  const sql = connectDatabase({ url }, { max: 1, statementTimeoutMs: 0 })
  await sql`alter system set fsync = off`
  await sql`alter system set full_page_writes = off`
  await sql`select pg_reload_conf()`
  await closeDatabase(sql)
}
