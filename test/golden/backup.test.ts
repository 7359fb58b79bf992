// A backup of every release is restored by this one, onto empty hosts and an empty database.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { emptyHost, fetcherCommand, holderFiles, nodeCommand, signerCommand } from "../harness/backups.ts"
import { freshDatabase } from "../harness/database.ts"
import { System } from "../harness/system.ts"
import { countActivities, type GoldenBackup, rootOf, sign } from "./backup.ts"

/** One for each format, never changed once it is here. */
const BACKUPS = ["backup-1"]

for (const name of BACKUPS)
  t.test(`C-1760: ${name}: all parts are restored, and the same key signs`, async (t) => {
    const file = join(import.meta.dirname, `${name}.backup`)
    const golden = JSON.parse(readFileSync(join(import.meta.dirname, `${name}.json`), "utf8")) as GoldenBackup
    const host = emptyHost(t)
    const { key } = holderFiles(t.testdir())
    const { sql, url } = await freshDatabase(t, { migrated: false })
    const restore = ["restore", file, "--key", key]
    for (const ended of [
      await nodeCommand(host, url, "backup", "database", ...restore),
      await nodeCommand(host, url, "backup", "proxy", ...restore),
      await fetcherCommand(host, "backup", ...restore),
      await signerCommand(host, "backup", ...restore, "--latest"),
    ])
      t.equal(ended.status, 0, ended.log)
    t.equal(readFileSync(join(host, "auth-proxy", "key"), "utf8"), golden.proxyKey)
    t.equal((await fetcherCommand(host, "public-key")).out, golden.fetcher)
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from activities`
    t.equal(row!.count, golden.activities, "the database has them before the API asks the ledger")
    // A minute after the backup was made: a signer believes no clock that is weeks ahead.
    const shiftMs = golden.madeAtMs + 60_000 - Date.now()
    const clock = join(import.meta.dirname, "..", "harness", "shifted-clock.mjs")
    const environment = { TEST_CLOCK_SHIFT_MS: String(shiftMs) }
    const on = { directory: host, environment, options: ["--import", clock] }
    const system = await System.startOn(url, { signer: on, api: on })
    t.teardown(() => system.stop())
    const acme = { organizationId: golden.organizationId, root: rootOf(golden) }
    t.strictSame(await sign(system, acme, golden.address, Date.now() + shiftMs), golden.signature)
    t.equal(await countActivities(system, acme), golden.activities + 1)
  })
