import { randomBytes } from "node:crypto"
import { setImmediate, setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { ActivityBatcher, getActivity } from "../../../../services/api/store/activities.ts"
import { packActivity } from "../../../../services/api/store/activity-row.ts"
import { insertActivities } from "../../../../services/api/store/insert-activities.ts"
import type { Database } from "../../../../services/database/database.ts"
import { freshDatabase, lockWaits } from "../../../harness/database.ts"
import { nextId, sampleActivity, sampleVote } from "./sample.ts"

t.test("stores a row unchanged", async (t) => {
  const { sql } = await freshDatabase(t)
  const row = sampleActivity({ failure: '{"code":3}', votes: [sampleVote(), sampleVote()] })
  t.equal(await new ActivityBatcher(sql).insert(row), "inserted")
  t.same(await getActivity(sql, row.organizationId, row.id), row)
})

t.test("stores any text unchanged, alone and beside others", async (t) => {
  const { sql } = await freshDatabase(t)
  const texts = [
    "NULL",
    "null",
    "{a,b}",
    '"',
    "\\",
    '\\"',
    "a,b",
    " a ",
    "{}",
    "é😀",
    "a\u001fb",
    "0x",
    "00",
    "\n\t",
    "$1",
  ]
  const batcher = new ActivityBatcher(sql)
  const rows = texts.map((text) => sampleActivity({ failure: text, type: `T${text}` }))
  t.same(new Set(await Promise.all(rows.map((row) => batcher.insert(row)))), new Set(["inserted"]))
  const alone = texts.map((text) => sampleActivity({ failure: text, type: `T${text}` }))
  for (const row of alone) t.equal(await batcher.insert(row), "inserted")
  for (const row of [...rows, ...alone]) t.same(await getActivity(sql, row.organizationId, row.id), row)
})

t.test("returns the stored row of a taken fingerprint", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  const first = sampleActivity()
  await batcher.insert(first)
  const [second, neighbour] = await Promise.all([
    batcher.insert({ ...first, id: nextId(), userId: nextId(), type: "OTHER" }),
    batcher.insert(sampleActivity({ organizationId: first.organizationId })),
  ])
  t.same(second, first)
  t.equal(neighbour, "inserted")
})

t.test("fingerprints of two organizations do not collide", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  const fingerprint = randomBytes(32)
  const rows = [1, 2, 3].map(() => sampleActivity({ fingerprint }))
  t.same(await Promise.all(rows.map((row) => batcher.insert(row))), ["inserted", "inserted", "inserted"])
})

t.test("returns the first row for the second of two equal fingerprints in one batch", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  const first = sampleActivity()
  const others = [1, 2, 3].map(() => ({ ...first, id: nextId() }))
  const answers = await Promise.all([first, ...others].map((row) => batcher.insert(row)))
  t.same(answers, ["inserted", first, first, first])
  t.equal((await sql`select from activities`).length, 1)
})

t.test("reports 'inserted' for a row that is inserted again after a lost answer", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  const row = sampleActivity()
  await batcher.insert(row)
  t.equal(await batcher.insert(row), "inserted")
})

t.test("fails faulty rows only, anywhere in the batch", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  const taken = sampleActivity()
  await batcher.insert(taken)
  const rows = Array.from({ length: 150 }, () => sampleActivity())
  const bad = new Map([
    [0, sampleActivity({ failure: "a zero \u0000 no text column takes" })],
    [77, sampleActivity({ fingerprint: randomBytes(31) })],
    [78, sampleActivity({ intent: "half a surrogate pair \ud800" })],
    [120, sampleActivity({ organizationId: taken.organizationId, id: taken.id })],
    [149, sampleActivity({ userId: "nobody" })],
  ])
  const settled = await Promise.allSettled(rows.map((row, index) => batcher.insert(bad.get(index) ?? row)))
  const failed = settled.flatMap(({ status }, index) => (status === "rejected" ? [index] : []))
  t.same(failed, [...bad.keys()])
  t.equal((await sql`select from activities`).length, 1 + 150 - bad.size)
})

t.test("inserts a thousand simultaneous rows in a few statements", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  const rows = Array.from({ length: 1_000 }, () => sampleActivity())
  const answers = Promise.all(rows.map((row) => batcher.insert(row)))
  t.equal(batcher.waiting, 1_000)
  t.same(new Set(await answers), new Set(["inserted"]))
  const [{ transactions }] = (await sql`
    select count(distinct xmin::text)::int as transactions from activities`) as unknown as [
    { transactions: number },
  ]
  t.equal(transactions, 5)
  await batcher.idle()
  t.equal(batcher.waiting, 0)
})

t.test("a blocked statement does not block other rows", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  const hold = await holdFingerprint(sql)
  const held = batcher.insert({ ...hold.row, id: nextId() })
  await hold.isWaitedFor(1)
  t.same(await Promise.all([1, 2, 3].map(() => batcher.insert(sampleActivity()))), Array(3).fill("inserted"))
  await hold.release()
  t.same(await held, hold.row)
})

t.test("at most three statements run, and idle waits for all of them and for later rows", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  const holds = [await holdFingerprint(sql), await holdFingerprint(sql), await holdFingerprint(sql)]
  const held: Promise<unknown>[] = []
  for (const { row, isWaitedFor } of holds) {
    held.push(batcher.insert({ ...row, id: nextId() }))
    await isWaitedFor(held.length)
  }
  const behind = Promise.all(Array.from({ length: 40 }, () => batcher.insert(sampleActivity())))
  let isIdle = false
  const idle = batcher.idle().then(() => (isIdle = true))
  await setImmediate()
  t.equal(batcher.waiting, 40)
  await holds[0]?.release()
  t.same(new Set(await behind), new Set(["inserted"]))
  t.notOk(isIdle)
  for (const { release } of holds.slice(1)) await release()
  await idle
  t.same(
    await Promise.all(held),
    holds.map(({ row }) => row),
  )
  await batcher.idle()
})

t.test("spreads large intents over several statements", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  const rows = Array.from({ length: 5 }, () => sampleActivity({ intent: "x".repeat(600_000) }))
  t.same(await Promise.all(rows.map((row) => batcher.insert(row))), Array(5).fill("inserted"))
})

t.test("lets two processes race for the same fingerprints: each has one winner", async (t) => {
  const { sql } = await freshDatabase(t)
  const organizationId = nextId()
  const fingerprints = Array.from({ length: 400 }, () => randomBytes(32))
  const race = (order: Uint8Array[]) => {
    const batcher = new ActivityBatcher(sql)
    return Promise.all(
      order.map((fingerprint) => batcher.insert(sampleActivity({ organizationId, fingerprint }))),
    )
  }
  const answers = (await Promise.all([race(fingerprints), race(fingerprints.toReversed())])).flat()
  t.equal(answers.filter((answer) => answer === "inserted").length, 400)
  t.equal(answers.filter((answer) => answer !== "inserted").length, 400)
})

t.test("rejects all rows while the database is away, and continues when it is back", async (t) => {
  const { sql } = await freshDatabase(t)
  const batcher = new ActivityBatcher(sql)
  await batcher.insert(sampleActivity())
  const rows = [1, 2, 3].map(() => sampleActivity())
  await sql`alter table activities rename to hidden`
  const settled = await Promise.allSettled(rows.map((row) => batcher.insert(row)))
  t.ok(settled.every(({ status }) => status === "rejected"))
  await sql`alter table hidden rename to activities`
  t.same(await Promise.all(rows.map((row) => batcher.insert(row))), ["inserted", "inserted", "inserted"])
})

/** An open transaction that inserted a row: other inserts of its fingerprint wait for it. */
async function holdFingerprint(sql: Database) {
  const row = sampleActivity()
  const transaction = await sql.reserve()
  await transaction`begin`
  await insertActivities(transaction, [packActivity(row)])
  return {
    row,
    release: async () => {
      await transaction`commit`
      transaction.release()
    },
    /** Resolves when this many statements of this database wait for a lock. */
    isWaitedFor: async (count: number) => {
      while ((await lockWaits(sql)) !== count) await pause(5)
    },
  }
}
