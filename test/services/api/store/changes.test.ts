import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { ActivityBatcher, getActivity } from "../../../../services/api/store/activities.ts"
import { applyChange, type RecordChange } from "../../../../services/api/store/changes.ts"
import { recordSlices } from "../../../../services/api/store/record-slices.ts"
import { getOrganization } from "../../../../services/api/store/organizations.ts"
import { getRecord, getRecordByAddress } from "../../../../services/api/store/records.ts"
import { findByIdentity } from "../../../../services/api/store/sub-organizations.ts"
import type { Database } from "../../../../services/database/database.ts"
import { freshDatabase } from "../../../harness/database.ts"
import {
  nextId,
  sampleActivity,
  sampleChange,
  sampleKey,
  sampleOrganization,
  sampleRecord,
  everyRecord,
} from "./sample.ts"

t.test("stores document, identities, records and activity together", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const record = sampleRecord({ parentId: nextId(), address: "0xabc" })
  const parentId = nextId()
  const change = sampleChange(id, 1n, {
    organization: sampleOrganization(1n, { parentId }),
    records: [record],
  })
  t.same(await applyChange(sql, change), change.activity)
  t.match(await getOrganization(sql, id), {
    parentId,
    name: "version 1",
    version: 1n,
    document: change.organization?.document,
    createdMs: change.activity.createdMs,
  })
  t.same(await findByIdentity(sql, parentId, sampleKey("key of 1"), 2), [id])
  const { deleted: _deleted, ...stored } = record
  t.same(await getRecord(sql, id, record.kind, record.id), { organizationId: id, ...stored })
})

t.test("never replaces a document or its identities by older ones", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const parentId = nextId()
  for (const version of [2n, 2n, 1n]) {
    const organization = sampleOrganization(version, { parentId })
    await applyChange(sql, sampleChange(id, version, { organization }))
  }
  t.match(await getOrganization(sql, id), { name: "version 2", version: 2n })
  t.same(await findByIdentity(sql, parentId, sampleKey("key of 1"), 2), [])
  t.same(await findByIdentity(sql, parentId, sampleKey("key of 2"), 2), [id])
})

t.test("ends with the newest of many changes at the same time", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const parentId = nextId()
  const record = sampleRecord()
  const versions = Array.from({ length: 60 }, (_, index) => BigInt(((index * 7) % 60) + 1))
  const bytes = versions.map(() => randomBytes(8))
  await Promise.all(
    versions.map((version, index) =>
      applyChange(
        sql,
        sampleChange(id, version, {
          organization: sampleOrganization(version, { parentId }),
          records: [{ ...record, version, bytes: bytes[index] as Buffer }],
        }),
      ),
    ),
  )
  t.match(await getOrganization(sql, id), { version: 60n, name: "version 60" })
  t.match(await getRecord(sql, id, 1, record.id), { version: 60n, bytes: bytes[versions.indexOf(60n)] })
  const identities = await sql`select digest from identities where organization_id = ${id}`
  t.same([...identities], [{ digest: sampleKey("key of 60").digest }])
})

t.test("writes only identities that differ", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const parentId = nextId()
  const [kept, gone, proven, added] = ["kept", "gone", "proven", "added"].map(sampleKey) as [
    Key,
    Key,
    Key,
    Key,
  ]
  const store = (version: bigint, identities: Key[]) => {
    const organization = sampleOrganization(version, { parentId, identities })
    return applyChange(sql, sampleChange(id, version, { organization }))
  }
  const rowOf = async ({ digest }: Key) => {
    const rows = await sql`select verified, xmin::text as writer from identities where digest = ${digest}`
    return rows[0]
  }
  await store(1n, [kept, gone, proven])
  const before = await rowOf(kept)
  await store(2n, [kept, { ...proven, verified: true }, added])
  t.same(await rowOf(kept), before, "the same row")
  t.match(await rowOf(proven), { verified: true })
  t.match(await rowOf(added), { verified: false })
  t.equal(await rowOf(gone), undefined)
})

type Key = ReturnType<typeof sampleKey>

t.test("stores no identities of a top-level organization, which are never looked up", async (t) => {
  const { sql } = await freshDatabase(t)
  await applyChange(sql, sampleChange(nextId(), 1n))
  t.same([...(await sql`select * from identities`)], [])
})

t.test("stores nothing when one part fails", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const change = sampleChange(id, 1n, { records: [sampleRecord()] })
  const bad = { ...change, activity: { ...change.activity, fingerprint: randomBytes(5) } }
  await t.rejects(applyChange(sql, bad), { code: "23514" })
  await t.rejects(
    applyChange(sql, change, () => Promise.reject(new Error("no job"))),
    { message: "no job" },
  )
  t.equal(await getOrganization(sql, id), undefined)
  t.same(await everyRecord(sql, id, 1), [])
  t.equal(await getActivity(sql, id, change.activity.id), undefined)
})

t.test("sends nothing any more once one part has failed", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const parentId = nextId()
  const organization = sampleOrganization(2n, { parentId })
  const change = sampleChange(id, 2n, { organization })
  const bad = { ...change, activity: { ...change.activity, fingerprint: randomBytes(5) } }
  await t.rejects(applyChange(sql, bad), { code: "23514" })
  t.equal(await getOrganization(sql, id), undefined)
  t.same([...(await sql`select * from identities`)], [], "a statement after the rollback would stay")
})

t.test("an account that is stored while its wallet is deleted is deleted", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const wallet = sampleRecord()
  await applyChange(sql, sampleChange(id, 1n, { records: [wallet] }))
  const deleted = { ...wallet, version: 2n, deleted: true }
  const account = sampleRecord({ kind: 2, parentId: wallet.id, address: "0x5" })
  const change = (records: RecordChange[]) => {
    const { organization: _, ...rest } = sampleChange(id, 1n, { records })
    return applyChange(sql, rest)
  }
  const changes: Promise<unknown>[] = []
  await sql.begin(async (tx) => {
    await tx`select from organizations where id = ${id} for update`
    changes.push(change([deleted]))
    await waiting(sql, 1)
    changes.push(change([account]))
    await waiting(sql, 2)
  })
  await Promise.all(changes)
  t.equal(await getRecord(sql, id, 2, account.id), undefined)
})

/** Resolves once so many sessions wait for a lock. */
async function waiting(sql: Database, count: number): Promise<void> {
  for (;;) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (row?.count === count) return
    await pause(10)
  }
}

t.test("an older document brings its sequence along", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const sequence = async () =>
    (
      await sql<
        { sequence: bigint }[]
      >`select ledger_sequence as sequence from organizations where id = ${id}`
    )[0]?.sequence
  await applyChange(sql, { ...sampleChange(id, 3n), ledgerSequence: 7n })
  t.equal(await sequence(), 7n)
  await applyChange(sql, { ...sampleChange(id, 2n), ledgerSequence: 9n })
  t.match(await getOrganization(sql, id), { version: 3n })
  t.equal(await sequence(), 9n)
  await applyChange(sql, { ...sampleChange(id, 4n), ledgerSequence: 8n })
  t.match(await getOrganization(sql, id), { version: 4n })
  t.equal(await sequence(), 9n)
})

t.test("an activity is stored with the sequence of its change, and keeps the highest one", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const sequences = async () =>
    (
      await sql<{ sequence: bigint | null }[]>`select ledger_sequence as sequence from activities order by id`
    ).map(({ sequence }) => sequence)
  await applyChange(sql, { ...sampleChange(id, 1n), ledgerSequence: 7n })
  t.strictSame(await sequences(), [7n])
  const { activity } = sampleChange(id, 2n)
  const pending = { ...activity, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" }
  await applyChange(sql, { organizationId: id, records: [], activity: pending })
  t.strictSame(await sequences(), [7n, null])
  await applyChange(sql, { organizationId: id, records: [], activity, ledgerSequence: 9n })
  await applyChange(sql, { organizationId: id, records: [], activity, ledgerSequence: 8n })
  t.strictSame(await sequences(), [7n, 9n])
})

t.test("an activity is announced to the endpoints as they are after it, at once or by votes", async (t) => {
  const { sql } = await freshDatabase(t)
  const target = { endpointId: nextId(), url: "https://hooks.example/", events: 1 }
  /** The endpoint is created, paused, resumed and deleted. */
  const lists = [[target], [{ ...target, events: 0 }], [target], []]
  const isActive = (list: { events: number }[] = []) => list.some(({ events }) => events > 0)
  const announced = async (id: string) => {
    const rows = await sql<{ id: string }[]>`
      select subject_id as id from webhook_deliveries where organization_id = ${id} order by sequence`
    return rows.map((row) => row.id)
  }
  for (const isPendingFirst of [false, true]) {
    const id = nextId()
    const expected: string[] = []
    for (const [index, webhookTargets] of lists.entries()) {
      const version = BigInt(index) + 2n
      const organization = sampleOrganization(version, { webhookTargets })
      const change = sampleChange(id, version, { organization })
      const { activity } = change
      if (isPendingFirst) {
        const pending = { ...activity, status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" }
        await applyChange(sql, { organizationId: id, records: [], activity: pending })
        if (isActive(lists[index - 1])) expected.push(activity.id)
      }
      await applyChange(sql, change)
      if (isActive(webhookTargets)) expected.push(activity.id)
      t.strictSame(await announced(id), expected)
    }
  }
})

t.test("an older document leaves the targets of a newer one", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const target = (name: string) => ({ endpointId: nextId(), url: `https://hooks.example/${name}`, events: 1 })
  const store = (version: bigint, webhookTargets: ReturnType<typeof target>[]) =>
    applyChange(
      sql,
      sampleChange(id, version, { organization: sampleOrganization(version, { webhookTargets }) }),
    )
  const urls = async () =>
    (await sql<{ url: string }[]>`select url from webhook_targets`).map(({ url }) => url)
  await store(3n, [target("new")])
  await store(2n, [target("old")])
  await store(2n, [])
  t.strictSame(await urls(), ["https://hooks.example/new"])
})

t.test("tries again after a collision", async (t) => {
  const { sql } = await freshDatabase(t)
  const change = sampleChange(nextId(), 1n)
  let calls = 0
  const collide = (tx: Parameters<NonNullable<Parameters<typeof applyChange>[2]>>[0]) =>
    ++calls < 3 ? tx`do $$ begin raise exception 'again' using errcode = '40001'; end $$` : Promise.resolve()
  t.same(await applyChange(sql, change, collide), change.activity)
  t.equal(calls, 3)
})

t.test("completes a pending activity, which keeps its id, and then changes nothing", async (t) => {
  const { sql } = await freshDatabase(t)
  const pending = sampleActivity()
  await new ActivityBatcher(sql).insert(pending)
  const status = "ACTIVITY_STATUS_COMPLETED"
  const change = sampleChange(pending.organizationId, 1n)
  const activity = { ...pending, id: nextId(), status, result: '{"a":1}', updatedMs: pending.updatedMs + 5 }
  const done = { ...activity, id: pending.id }
  t.same(await applyChange(sql, { ...change, activity }), done)
  t.same(await applyChange(sql, { ...change, activity: { ...pending, updatedMs: 9e12 } }), done)
})

t.test("hides a deleted record, and its children with it", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const wallet = sampleRecord()
  const accounts = [1, 2].map((n) => sampleRecord({ kind: 2, parentId: wallet.id, address: `0x${n}` }))
  const other = sampleRecord({ kind: 2, parentId: nextId(), address: "0x3" })
  await applyChange(sql, sampleChange(id, 1n, { records: [wallet, ...accounts, other] }))
  t.match(await getRecordByAddress(sql, id, "0x2"), { id: accounts[1]?.id })
  const deleted = { ...wallet, version: 2n, deleted: true, bytes: randomBytes(2) }
  await applyChange(sql, { ...sampleChange(id, 2n), records: [deleted] })
  t.equal(await getRecord(sql, id, 1, wallet.id), undefined)
  t.equal(await getRecordByAddress(sql, id, "0x2"), undefined)
  t.same(
    (await everyRecord(sql, id, 2)).map((record) => record.id),
    [other.id],
  )
  await applyChange(sql, { ...sampleChange(id, 3n), records: [wallet] })
  t.equal(await getRecord(sql, id, 1, wallet.id), undefined, "an older version does not bring it back")
  const late = sampleRecord({ kind: 2, parentId: wallet.id, address: "0x4" })
  await applyChange(sql, { ...sampleChange(id, 4n), records: [late] })
  t.equal(await getRecord(sql, id, 2, late.id), undefined, "a child stored later is deleted too")
})

t.test("stores the newest version of a record given twice", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const record = sampleRecord()
  await applyChange(
    sql,
    sampleChange(id, 1n, { records: [record, { ...record, version: 2n ** 62n }, record] }),
  )
  t.match(await getRecord(sql, id, 1, record.id), { version: 2n ** 62n })
})

t.test("stores many records in slices, the newest version of each", async (t) => {
  const { sql } = await freshDatabase(t)
  const id = nextId()
  const wallet = sampleRecord({ version: 2n, deleted: true })
  const accounts = Array.from({ length: 12_000 }, () =>
    sampleRecord({ kind: 2, parentId: wallet.id, bytes: randomBytes(200) }),
  )
  const newer = accounts.map((account) => ({ ...account, version: 2n }))
  const records = [...newer, wallet, ...accounts]
  const slices = recordSlices(records)
  t.ok(slices.length > 4, "no statement has all of them")
  t.ok(slices.every((slice) => slice.reduce((sum, { bytes }) => sum + bytes.length, 0) <= 1 << 20))
  await applyChange(sql, sampleChange(id, 1n, { records }))
  const count = async () => {
    const [row] = await sql<{ all: number; older: number; living: number }[]>`
      select count(*)::int as all, count(*) filter (where version < 2)::int as older,
        count(*) filter (where not deleted)::int as living from records where organization_id = ${id}`
    return { ...row }
  }
  t.same(await count(), { all: 12_001, older: 0, living: 0 })
})
