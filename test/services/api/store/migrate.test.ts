import { createHash } from "node:crypto"
import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { Curve, PathFormat } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { refusedError } from "../../../../services/api/errors.ts"
import { getAccountByPath } from "../../../../services/api/store/records.ts"
import { closeDatabase, connectDatabase } from "../../../../services/database/database.ts"
import { MIGRATIONS, migrate, planMigrations } from "../../../../services/api/store/migrate.ts"
import { identityKey } from "../../../../services/api/store/identity-keys.ts"
import { findByLoginContact } from "../../../../services/api/store/sub-organizations.ts"
import { packActivity } from "../../../../services/api/store/activity-row.ts"
import { insertBatch } from "../../../../services/api/store/insert-batch.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId, sampleActivity } from "./sample.ts"

t.test("applies each file once when three processes start together", async (t) => {
  const { url } = await freshDatabase(t, { migrated: false })
  const pools = [1, 2, 3].map(() => connectDatabase({ url }, { max: 1 }))
  const applied = await Promise.all(pools.map((sql) => migrate(sql)))
  await Promise.all(pools.map((sql) => closeDatabase(sql)))
  t.same(
    applied.filter((names) => names.length > 0),
    [(await readdir(MIGRATIONS)).toSorted()],
  )
})

t.test("applies only what is new", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const directory = t.testdir({})
  await copyFile(join(MIGRATIONS, "0001_init.sql"), join(directory, "0001_init.sql"))
  t.same(await migrate(sql, directory), ["0001_init.sql"])
  await writeFile(
    join(directory, "0002_more.sql"),
    "create table more (id uuid); insert into more values (null);",
  )
  t.same(await migrate(sql, directory), ["0002_more.sql"])
  t.same(await migrate(sql, directory), [])
  t.equal((await sql`select * from more`).length, 1)
})

t.test("refuses an applied file that was altered, and leaves the schema alone", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const directory = t.testdir({ "0001.sql": "create table one (id int);" })
  await migrate(sql, directory)
  await writeFile(join(directory, "0001.sql"), "create table one (id bigint);")
  await writeFile(join(directory, "0002.sql"), "create table two (id int);")
  await t.rejects(migrate(sql, directory), {
    message: "migration 0001.sql was altered after it had been applied",
  })
  const [{ two }] = (await sql`select to_regclass('two') as two`) as unknown as [{ two: string | null }]
  t.equal(two, null)
})

t.test("refuses a database that a later release migrated, and leaves it alone", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const later = t.testdir({
    "0001.sql": "create table one (id int);",
    "0003.sql": "create table three (id int);",
  })
  await migrate(sql, later)
  const directory = join(later, "earlier")
  await mkdir(directory)
  await copyFile(join(later, "0001.sql"), join(directory, "0001.sql"))
  await writeFile(join(directory, "0002.sql"), "create table two (id int);")
  t.strictSame(await planMigrations(sql, directory), [
    { name: "0001.sql", state: "applied" },
    { name: "0002.sql", state: "pending" },
    { name: "0003.sql", state: "unknown" },
  ])
  await t.rejects(migrate(sql, directory), { status: 3, message: /later release \(0003\.sql\)/ })
  t.equal((await planMigrations(sql, directory)).filter(({ state }) => state === "pending").length, 1)
})

t.test("takes back everything when one file fails", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const directory = t.testdir({ "0001.sql": "create table one (id int);", "0002.sql": "create nonsense;" })
  await t.rejects(migrate(sql, directory), { code: "42601" })
  await writeFile(join(directory, "0002.sql"), "create table two (id int);")
  t.same(await migrate(sql, directory), ["0001.sql", "0002.sql"])
})

t.test("denials stored by earlier code are kept beside the activities of their bodies", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const earlier = t.testdir({})
  const names = (await readdir(MIGRATIONS)).filter((name) => name < "0008")
  for (const name of names) await copyFile(join(MIGRATIONS, name), join(earlier, name))
  await migrate(sql, earlier)
  const [organizationId, userId, another] = [nextId(), nextId(), nextId()]
  const failures = [
    refusedError({ code: RefusalCode.PERMISSION_DENIED, sentence: "no", field: "" }),
    refusedError({ code: RefusalCode.LIMIT_EXCEEDED, sentence: "too many", field: "" }),
  ].map((error) => JSON.stringify(error.body()))
  const fingerprints = failures.map((text) => createHash("sha256").update(text).digest())
  for (const [index, failure] of failures.entries())
    await sql`
      insert into activities (organization_id, id, fingerprint, type, status, user_id, intent, failure, votes,
        created_ms, updated_ms)
      values (${organizationId}, ${nextId()}, ${fingerprints[index]!}, 'ACTIVITY_TYPE_CREATE_WALLET',
        'ACTIVITY_STATUS_FAILED', ${userId}, '{}', ${failure}, '[]', 1, 1)`
  await migrate(sql)
  const denied = () =>
    sql<{ denied: string | null }[]>`select denied_user_id as denied from activities order by id`
  t.same(
    (await denied()).map((row) => row.denied),
    [userId, null],
  )
  const fingerprint = fingerprints[0]!
  const beside = { organizationId, fingerprint, status: "ACTIVITY_STATUS_COMPLETED", result: "{}" }
  const denial = { ...beside, status: "ACTIVITY_STATUS_FAILED", failure: failures[0]! }
  const rows = [
    sampleActivity(beside),
    sampleActivity({ ...denial, userId: another, deniedUserId: another }),
    sampleActivity({ ...denial, userId, deniedUserId: userId }),
  ].map(packActivity)
  const insertionOf = await insertBatch(sql, rows)
  t.same(
    rows.map((row) => insertionOf(row) === "inserted"),
    [true, true, false],
    "the user's earlier denial is kept",
  )
})

t.test("an API process of earlier code that still runs stores no signature, and none twice", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const earlier = t.testdir({})
  const names = (await readdir(MIGRATIONS)).filter((name) => name < "0008")
  for (const name of names) await copyFile(join(MIGRATIONS, name), join(earlier, name))
  await migrate(sql, earlier)
  const ids = { organization_id: nextId(), user_id: nextId() }
  const fingerprint = createHash("sha256").update("body").digest()
  // As that code inserts a signature.
  const insert = () => sql`
    insert into activities ${sql({
      ...ids,
      id: nextId(),
      fingerprint,
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      status: "ACTIVITY_STATUS_COMPLETED",
      intent: "{}",
      votes: "[]",
      created_ms: 1,
      updated_ms: 1,
    })} on conflict (organization_id, fingerprint) do nothing`
  for (const count of [1, 0]) t.equal((await insert()).count, count)
  await migrate(sql)
  await t.rejects(insert(), { code: "42P10" })
  t.same(await sql`select count(*)::int as count from activities`, [{ count: 1 }])
})

t.test("accounts stored by earlier code are found by their paths", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const earlier = t.testdir({})
  const names = (await readdir(MIGRATIONS)).filter((name) => name < "0006")
  for (const name of names) await copyFile(join(MIGRATIONS, name), join(earlier, name))
  await migrate(sql, earlier)
  const [organizationId, walletId] = [nextId(), nextId()]
  const deep = `m${"/2147483647'".repeat(255)}`
  const paths = ["m/44'/60'/0'/0/0", deep, "m/44'/60'/0'/0/1"]
  const stored = new Map<string, string>()
  for (const [index, path] of paths.entries()) {
    const id = nextId()
    // A name that looks like the path's field is not it.
    const account = {
      walletId,
      curve: Curve.SECP256K1,
      pathFormat: PathFormat.BIP32,
      path,
      name: '"\u0003m/9',
    }
    const payload = toBinary(WalletAccountRecordSchema, create(WalletAccountRecordSchema, account))
    const fields = { kind: RecordKind.WALLET_ACCOUNT, organizationId, id, version: 300n, epoch: index }
    const bytes = toBinary(RecordSchema, create(RecordSchema, { ...fields, payload }))
    await sql`
      insert into records (organization_id, kind, id, parent_id, version, deleted, bytes)
      values (${organizationId}, ${RecordKind.WALLET_ACCOUNT}, ${id}, ${walletId}, 300, false, ${bytes})`
    stored.set(path, id)
  }
  const other = nextId()
  await sql`
    insert into records (organization_id, kind, id, parent_id, version, deleted, bytes)
    values (${organizationId}, 2, ${other}, ${walletId}, 1, false, ${Buffer.from("no record")})`
  await migrate(sql)
  for (const [path, id] of stored)
    t.equal((await getAccountByPath(sql, organizationId, walletId, path))?.id, id)
  t.equal(await getAccountByPath(sql, organizationId, walletId, "m/9"), undefined)
})

t.test("contacts stored by earlier code lead to the same organizations at login", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const earlier = t.testdir({})
  const names = (await readdir(MIGRATIONS)).filter((name) => name < "0045")
  for (const name of names) await copyFile(join(MIGRATIONS, name), join(earlier, name))
  await migrate(sql, earlier)
  const parentId = nextId()
  const store = async (email: string, isOnlyLoginMethod: boolean | null) => {
    const id = nextId()
    const { kind, digest } = identityKey.email(email)
    await sql`
      insert into organizations (id, parent_id, name, version, deleted, document, created_ms)
      values (${id}, ${parentId}, '', 1, false, ${Buffer.alloc(0)}, 0)`
    await sql`
      insert into identities (organization_id, kind, digest, parent_id, verified, only_way_in)
      values (${id}, ${kind}, ${digest}, ${parentId}, false, ${isOnlyLoginMethod})`
    return id
  }
  const ids = [await store("a@example.com", true), await store("b@example.com", false)]
  t.same(await migrate(sql), (await readdir(MIGRATIONS)).filter((name) => name >= "0045").toSorted())
  const found = (email: string) => findByLoginContact(sql, parentId, identityKey.email(email), 2)
  t.same(await found("a@example.com"), [ids[0]])
  t.same(await found("b@example.com"), [], "its user has another login method")
})

t.test("each primary key begins with the organization, except in tables without one", async (t) => {
  const { sql } = await freshDatabase(t)
  const keys = await sql<{ table: string; column: string }[]>`
    select c.relname as table, a.attname as column from pg_index i
    join pg_class c on c.oid = i.indrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where i.indisprimary and c.relnamespace = 'public'::regnamespace and c.relname <> 'migrations' order by 1`
  t.same(
    keys.map((key) => `${key.table} ${key.column}`),
    [
      "activities organization_id",
      "activity_exports file",
      "auth_proxy_configs organization_id",
      "balance_watches organization_id",
      "boot_proofs ephemeral_key",
      "decision_receipts organization_id",
      "denial_counts organization_id",
      "deployment only_row",
      "erasures organization_id",
      "identities organization_id",
      "log_heads origin",
      "nonce_reservations chain",
      "on_ramp_statuses organization_id",
      "organizations id",
      "policy_lists organization_id",
      "records organization_id",
      "sends organization_id",
      "sessions organization_id",
      "webhook_attempts organization_id",
      "webhook_deliveries organization_id",
      "webhook_endings organization_id",
      "webhook_families organization_id",
      "webhook_redeliveries organization_id",
      "webhook_targets organization_id",
      "webhook_wakes organization_id",
    ],
  )
})
