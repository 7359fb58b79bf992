// What deleted organizations and expired sessions leave: it may be any number of rows, and no activity waits for them.
import { randomUUID } from "node:crypto"
import { copyFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import t from "tap"
import { applyChange } from "../../../services/api/store/changes.ts"
import { MIGRATIONS, migrate } from "../../../services/api/store/migrate.ts"
import {
  listSubOrganizations,
  type SubOrganizationFilter,
} from "../../../services/api/store/sub-organizations.ts"
import type { Database } from "../../../services/database/database.ts"
import { LOWEST, removeExpiredSessions, removeRemains } from "../../../services/worker/store/remains.ts"
import { isSchemaReady } from "../../../services/worker/store/sends.ts"
import { freshDatabase } from "../../harness/database.ts"
import { nextId, sampleChange, sampleKey, sampleOrganization, sampleRecord } from "../api/store/sample.ts"
import { MOST_ROWS, sumOf, watchPieces } from "../pieces.ts"
import { startWorker, until } from "./start-worker.ts"

const TABLES = ["identities", "sessions", "records"] as const
const ROWS = 2_500
const ALIKE = sampleKey("shared by all")

/** A sub-organization with many rows in each table; the first of each is of `ALIKE` and of one address. */
async function largeOrganization(sql: Database, parentId: string): Promise<string> {
  const id = nextId()
  const organization = sampleOrganization(1n, { parentId, identities: [{ ...ALIKE, verified: true }] })
  const record = sampleRecord({ kind: 2, address: "0xshared" })
  await applyChange(sql, sampleChange(id, 1n, { organization, records: [record] }))
  await sql`
    insert into identities (organization_id, kind, digest, parent_id, verified)
    select ${id}, 5, sha256(n::text::bytea), ${parentId}, false from generate_series(2, ${ROWS}::int) n`
  await sql`
    insert into records (organization_id, kind, id, family_id, version, deleted, bytes)
    select ${id}, 2, gen_random_uuid(), ${parentId}, 1, false, '\\x00' from generate_series(2, ${ROWS}::int) n`
  await sql`
    insert into sessions (organization_id, id, public_key, user_id, expires_ms, ended, bytes)
    select ${id}, gen_random_uuid(), n::text, gen_random_uuid(), ${Date.now() + 900_000}, false, '\\x00'
    from generate_series(1, ${ROWS}::int) n`
  return id
}

async function deleteOrganization(sql: Database, id: string, parentId: string): Promise<void> {
  const organization = sampleOrganization(2n, { parentId, deleted: true, identities: [] })
  await applyChange(sql, sampleChange(id, 2n, { organization, ledgerSequence: 7n }))
}

async function countsOf(sql: Database, id: string): Promise<number[]> {
  const counts: number[] = []
  for (const table of TABLES)
    counts.push((await sql`select from ${sql(table)} where organization_id = ${id}`).count)
  return counts
}

const remaining = async (sql: Database) =>
  (await sql<{ id: string }[]>`select id from organizations where rows_remain order by id`).map(
    ({ id }) => id,
  )

t.test("deleting an organization changes none of its rows, and no look-up finds them", async (t) => {
  const { sql } = await freshDatabase(t)
  const parentId = nextId()
  const [deleted, other] = [await largeOrganization(sql, parentId), await largeOrganization(sql, parentId)]
  const { take } = await watchPieces(sql, TABLES)
  await deleteOrganization(sql, deleted, parentId)
  t.strictSame(await take(), [])
  t.strictSame(await countsOf(sql, deleted), [ROWS, ROWS, ROWS])
  const filters: SubOrganizationFilter[] = [
    { by: "nothing" },
    { by: "identity", identity: ALIKE },
    { by: "verified identity", identity: ALIKE },
    { by: "any verified identity" },
    { by: "address", address: "0xshared" },
  ]
  for (const filter of filters)
    t.strictSame(
      await listSubOrganizations(sql, parentId, filter, { limit: 10 }),
      { rows: [other] },
      filter.by,
    )
})

t.test(
  "workers remove them in pieces, organizations in turn, and nothing of another organization",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const parentId = nextId()
    const ids = [await largeOrganization(sql, parentId), await largeOrganization(sql, parentId)] as const
    const kept = await largeOrganization(sql, parentId)
    for (const id of ids) await deleteOrganization(sql, id, parentId)
    const { take } = await watchPieces(sql, TABLES)
    const first = await removeRemains(sql, LOWEST)
    t.equal(first, ids[0])
    t.equal(await removeRemains(sql, ids[0]), ids[1])
    t.equal(await removeRemains(sql, ids[1]), ids[0], "the first one again")
    const both = await Promise.all([removeRemains(sql, LOWEST), removeRemains(sql, LOWEST)])
    t.equal(new Set(both).size, 2, "two workers do not take the same organization")
    let turns = 0
    for (let last: string | undefined = LOWEST; last !== undefined; turns++)
      last = await removeRemains(sql, last)
    t.ok(turns < 10)
    const pieces = await take()
    t.ok(pieces.every(({ rows }) => rows <= MOST_ROWS))
    t.strictSame(sumOf(pieces), { identities: 2 * ROWS, sessions: 2 * ROWS, records: 2 * ROWS })
    t.strictSame(await countsOf(sql, kept), [ROWS, ROWS, ROWS])
    t.strictSame(await remaining(sql), [])
  },
)

t.test("rows that are stored after the deletion are removed too", async (t) => {
  const { sql } = await freshDatabase(t)
  const [id, parentId] = [nextId(), nextId()]
  await applyChange(sql, sampleChange(id, 1n, { organization: sampleOrganization(1n, { parentId }) }))
  await deleteOrganization(sql, id, parentId)
  while ((await removeRemains(sql, LOWEST)) !== undefined);
  t.strictSame(await remaining(sql), [])
  // The database was away when this activity ended, before the deletion.
  const { organization: _older, ...late } = sampleChange(id, 1n, {
    records: [sampleRecord()],
    ledgerSequence: 6n,
  })
  await applyChange(sql, late)
  t.strictSame(await countsOf(sql, id), [0, 0, 1])
  t.strictSame(await remaining(sql), [id])
  while ((await removeRemains(sql, LOWEST)) !== undefined);
  t.strictSame(await countsOf(sql, id), [0, 0, 0])
})

t.test("an organization that an older ledger has again keeps its rows", async (t) => {
  const { sql } = await freshDatabase(t)
  const parentId = nextId()
  const id = await largeOrganization(sql, parentId)
  await deleteOrganization(sql, id, parentId)
  await removeRemains(sql, LOWEST)
  await sql`update organizations set version = 0, ledger_sequence = 0 where id = ${id}`
  await applyChange(sql, sampleChange(id, 1n, { organization: sampleOrganization(1n, { parentId }) }))
  t.equal(await removeRemains(sql, LOWEST), undefined)
  t.strictSame((await countsOf(sql, id)).slice(1), [ROWS - 1_000, ROWS - 1_000])
})

t.test(
  "expired sessions are kept for an hour, then removed in pieces, and no login waits for them",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const id = nextId()
    const nowMs = Date.now()
    await sql`
    insert into sessions (organization_id, id, public_key, user_id, expires_ms, ended, bytes)
    select ${id}, gen_random_uuid(), n::text, gen_random_uuid(), ${nowMs}, n % 2 = 0, '\\x00'
    from generate_series(1, ${ROWS}::int) n`
    const { take } = await watchPieces(sql, TABLES)
    const login = {
      id: nextId(),
      publicKey: "02",
      userId: nextId(),
      expiresMs: nowMs + 9_000_000,
      ended: false,
      bytes: Buffer.alloc(9),
    }
    await applyChange(sql, sampleChange(id, 1n, { sessions: [login] }))
    t.strictSame(await take(), [])
    const hourMs = 3_600_000
    await removeExpiredSessions(sql, nowMs + hourMs)
    t.strictSame(await take(), [], "the hour is not over")
    for (let time = 0; time < 4; time++) await removeExpiredSessions(sql, nowMs + hourMs + 1)
    t.strictSame(
      (await take()).map(({ rows }) => rows),
      [1_000, 1_000, 500],
    )
    t.match(await sql`select id from sessions`, [{ id: login.id }])
  },
)

t.test("a worker waits for tables of this release", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const earlier = t.testdir({})
  const names = (await readdir(MIGRATIONS)).filter((name) => name < "0043")
  for (const name of names) await copyFile(join(MIGRATIONS, name), join(earlier, name))
  t.equal(await isSchemaReady(sql), false)
  await migrate(sql, earlier)
  t.equal(await isSchemaReady(sql), false)
  await migrate(sql)
  t.equal(await isSchemaReady(sql), true)
})

t.test("a worker that runs removes both", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const parentId = nextId()
  const id = await largeOrganization(sql, parentId)
  const old = randomUUID()
  await sql`update sessions set expires_ms = 1, organization_id = ${old} where public_key in ('1', '2')`
  await deleteOrganization(sql, id, parentId)
  await startWorker(t, { DATABASE_URL: url })
  const counts = async () => [
    ...(await countsOf(sql, id)),
    ...(await countsOf(sql, old)),
    ...(await remaining(sql)),
  ]
  await until(
    async () => (await counts()).every((count) => count === 0),
    () => "rows remain",
  )
})
