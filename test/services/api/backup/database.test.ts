// The database's part of a backup: every table as it was at one moment, into an empty database, whole or not at all.
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import t, { type Test } from "tap"
import { PIECE_BYTES } from "../../../../services/api/backup/content.ts"
import {
  ORGANIZATION_STATE_TABLES,
  ORGANIZATION_TABLES,
  SEQUENCES,
  TABLES,
} from "../../../../services/api/store/tables.ts"
import { recordDeployment } from "../../../../services/api/store/deployment.ts"
import { migrate, planMigrations } from "../../../../services/api/store/migrate.ts"
import { isEmptySchema } from "../../../../services/api/store/schema.ts"
import type { Database, Queries } from "../../../../services/database/database.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { insertAsBefore, nextId, sampleActivity } from "../store/sample.ts"
import { copied, DEPLOYMENT, headOf, restored, withJson } from "./parts.ts"

const empty = (t: Test) => freshDatabase(t, { migrated: false })

async function started(t: Test) {
  const database = await freshDatabase(t)
  await recordDeployment(database.sql, DEPLOYMENT)
  return database
}

/** A row in every table, whatever its columns are, without triggers. */
async function fillAll(sql: Database): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    for (const table of TABLES) if (table !== "deployment") await fill(tx, table)
  })
}

async function fill(tx: Queries, table: string): Promise<void> {
  const columns = await tx<{ name: string; type: string; isIdentity: boolean }[]>`
    select column_name as name, data_type as type, is_identity = 'YES' as "isIdentity" from information_schema.columns
    where table_name = ${table} and table_schema = current_schema() and is_generated = 'NEVER'`
  const row = columns.filter(({ isIdentity }) => !isIdentity).map(({ name, type }) => [name, valueOf(type)])
  await tx`insert into ${tx(table)} ${tx(Object.fromEntries(row) as { [column: string]: string })}`
  // The one foreign key.
  await tx`update webhook_attempts a set organization_id = d.organization_id, delivery_id = d.id from webhook_deliveries d
    where not exists (select from webhook_deliveries o where o.organization_id = a.organization_id and o.id = a.delivery_id)`
}

function valueOf(type: string): unknown {
  if (type === "uuid") return nextId()
  if (type === "bytea") return randomBytes(32)
  if (type === "boolean") return true
  if (type.startsWith("timestamp")) return new Date(0)
  if (type.startsWith("json")) return '{"a":"\\\\n\\t"}'
  if (type === "ARRAY") return []
  return type === "text" ? `tab\tline\nback\\slash ${nextId()}` : ++count
}

let count = 0

/** Every row of every table, and the sequences, as PostgreSQL's own program prints them. */
function readByPsql(url: string): string {
  const tables = TABLES.map((name) => `copy (select * from ${name} order by ${name}::text) to stdout;`)
  const sequences = SEQUENCES.map((name) => `select '${name}', last_value, is_called from ${name};`)
  const words = ["--no-psqlrc", "--quiet", "--tuples-only", "-v", "ON_ERROR_STOP=1", url]
  const { status, stdout, stderr } = spawnSync("psql", words, {
    input: [...tables, ...sequences].join("\n"),
    encoding: "utf8",
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

const hasPsql = spawnSync("psql", ["--version"]).status === 0

t.test("the tables of a backup are all tables of the schema, each after those that it names", async (t) => {
  const { sql } = await freshDatabase(t)
  const relations = await sql<{ name: string; kind: string }[]>`
    select relname as name, relkind as kind from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')`
  const named = (kinds: string) =>
    relations.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name)
  t.strictSame(named("rpvm").toSorted(), [...TABLES, "migrations"].toSorted())
  t.strictSame(named("S").toSorted(), [...SEQUENCES].toSorted())
  const keys = await sql<{ from: string; to: string }[]>`
    select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`
  t.ok(keys.length > 0)
  const place = (name: string) => (TABLES as readonly string[]).indexOf(name)
  for (const { from, to } of keys) t.ok(place(to) < place(from), `${to} before ${from}`)
  const withRows = await sql<{ name: string }[]>`
    select distinct table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'organization_id'`
  // Counts of what was erased stay. Attempts go with their delivery, and the worker removes the turn of a family without any.
  const kept = ["erasures", "webhook_attempts", "webhook_families"]
  t.strictSame(
    withRows
      .map(({ name }) => name)
      .filter((name) => !kept.includes(name))
      .toSorted(),
    [...ORGANIZATION_TABLES].toSorted(),
    "C-1794: no table with rows of an organization is left out where they are removed",
  )
  t.strictSame(
    ORGANIZATION_TABLES.filter((name) => !ORGANIZATION_STATE_TABLES.includes(name)),
    ["nonce_reservations", "sends"],
  )
})

t.test(
  "C-1754: a restored database has every row and sequence of its moment, as psql reads them",
  { skip: hasPsql ? false : "not run: no psql" },
  async (t) => {
    const { sql, url } = await started(t)
    await fillAll(sql)
    await sql`select setval('webhook_wakes_sequence_seq', 41)`
    const before = readByPsql(url)
    const files = await copied(sql, {
      onFile: async (name) => {
        if (name === "database.json") await fillAll(sql)
      },
    })
    t.not(readByPsql(url), before, "rows came while it was copied")
    const target = await empty(t)
    const { rows, tables } = await restored(target.sql, files)
    t.match({ rows, tables }, { rows: TABLES.length, tables: TABLES.length })
    // Sequences know no transactions: they went on.
    const apart = (text: string) => text.replaceAll(/^ ?webhook_\w+_(?:seq|turns) .*$/gm, "")
    t.equal(apart(readByPsql(target.url)), apart(before), "rows that came later are not there")
    const next = await target.sql<{ next: bigint }[]>`select nextval('webhook_wakes_sequence_seq') as next`
    t.ok(next[0]!.next > 41n, "a new row takes no number of an earlier one")
    const plan = await planMigrations(target.sql)
    t.strictSame(new Set(plan.map(({ state }) => state)), new Set(["applied"]))
    t.strictSame(await migrate(target.sql), [])
  },
)

t.test("C-1755: a restoration runs no trigger, and the triggers work afterwards", async (t) => {
  const { sql } = await started(t)
  const organizationId = nextId()
  await sql`insert into webhook_targets (organization_id, endpoint_id, url, events)
    values (${organizationId}, ${nextId()}, 'https://hooks.example', 3)`
  const deliveries = async (from: Database) =>
    (await from<{ count: number }[]>`select count(*)::int as count from webhook_deliveries`)[0]!.count
  const activity = sampleActivity({ organizationId })
  await insertAsBefore(sql, activity)
  t.equal(await deliveries(sql), 1, "an activity is told of by a trigger")
  const target = await empty(t)
  await restored(target.sql, await copied(sql))
  t.equal(await deliveries(target.sql), 1)
  await insertAsBefore(target.sql, sampleActivity({ organizationId }))
  t.equal(await deliveries(target.sql), 2)
})

t.test("a table is cut into bounded pieces, also within a row", async (t) => {
  const { sql } = await started(t)
  const size = PIECE_BYTES + 1000
  const insert = (id: string, bytes: number) => sql`
    insert into organizations (id, name, version, deleted, document, created_ms)
    values (${id}, 'large', 1, false, ${randomBytes(bytes)}, 7)`
  await insert(nextId(), size)
  await insert(nextId(), 10)
  // Repeated: the driver once waited for good when the last rows filled its buffer.
  for (let times = 0; times < 5; times++) await copied(sql)
  const files = await copied(sql)
  const pieces = [...files].filter(([name]) => name.startsWith("tables/organizations/"))
  t.equal(pieces.length, 3)
  t.ok([...files.values()].every(({ length }) => length <= PIECE_BYTES))
  const target = await empty(t)
  await restored(target.sql, files)
  const digests = (from: Database) =>
    from`select id, sha256(document) as digest from organizations order by id`
  t.strictSame([...(await digests(target.sql))], [...(await digests(sql))])
})

t.test("W125: a part that does not fit leaves the database empty", async (t) => {
  const { sql } = await started(t)
  await fillAll(sql)
  const files = await copied(sql)
  const target = await empty(t)
  const rejects = async (altered: typeof files, code: string, why: string, options = {}) => {
    await t.rejects(restored(target.sql, altered, options), { code, message: new RegExp(`^${code}: `) }, why)
    t.ok(await isEmptySchema(target.sql), `${why}: nothing was changed`)
  }
  await rejects(files, "BACKUP_FOREIGN", "another deployment", { deploymentId: nextId() })
  const without = (wanted: string) => new Map([...files].filter(([name]) => !name.startsWith(wanted)))
  await rejects(without("database.json"), "BACKUP_EDITED", "no head")
  await rejects(without("tables/sessions/"), "BACKUP_EDITED", "rows are missing")
  await rejects(without("rows.json"), "BACKUP_EDITED", "no end")
  await rejects(
    withJson<{ rows: { [table: string]: number } }>(files, "rows.json", (json) => ({
      ...json,
      rows: { ...json.rows, sends: 2 },
    })),
    "BACKUP_EDITED",
    "another number of rows",
  )
  const doubled = (table: string, last: boolean) => {
    const name = `tables/${table}/00000000`
    const row = files.get(name)!
    return new Map(files).set(
      name,
      Buffer.concat(last ? [row, row] : [row, row, Buffer.alloc(9_000_000, row)]),
    )
  }
  await rejects(doubled("sends", true), "BACKUP_EDITED", "a row twice, at the end")
  // The server's own fault, or the one that the next piece of rows meets in the aborted transaction.
  await t.rejects(
    restored(target.sql, doubled("sends", false)),
    { code: /^(?:23505|BACKUP_EDITED)$/ },
    "a row twice",
  )
  t.ok(await isEmptySchema(target.sql))
  const [first] = headOf(files).migrations
  const later = [{ ...first!, sha256: "00" }]
  await rejects(
    withJson(files, "database.json", (json) => ({ ...json, migrations: later })),
    "BACKUP_FORMAT_UNKNOWN",
    "a migration that this release has otherwise",
  )
  await restored(target.sql, files)
  await t.rejects(restored(target.sql, files), { code: "BACKUP_TARGET_USED" }, "a second time")
})

t.test("C-1756: a backup of an earlier schema is restored with it, and migrated afterwards", async (t) => {
  const { sql } = await started(t)
  const files = await copied(sql)
  const early = withJson<ReturnType<typeof headOf>>(files, "database.json", (head) => ({
    ...head,
    migrations: head.migrations.slice(0, 5),
    tables: head.tables.filter(({ name }) => name === "deployment"),
  }))
  const earlier = withJson<{ rows: object }>(early, "rows.json", (end) => ({ ...end, sequences: {} }))
  const target = await empty(t)
  await restored(target.sql, earlier)
  const states = async () => (await planMigrations(target.sql)).map(({ state }) => state)
  t.strictSame((await states()).filter((state) => state === "applied").length, 5)
  await migrate(target.sql)
  t.strictSame(new Set(await states()), new Set(["applied"]))
  t.strictSame([...(await target.sql`select id from deployment`)], [{ id: DEPLOYMENT.id }])
})

t.test("a database of another release or of no deployment is not copied", async (t) => {
  const { sql } = await freshDatabase(t)
  await t.rejects(copied(sql), /of no deployment yet: start its API first/)
  const bare = await empty(t)
  await t.rejects(copied(bare.sql), /not of this release .*: start its API first/)
})
