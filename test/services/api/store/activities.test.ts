import t from "tap"
import {
  ActivityBatcher,
  type ActivityRow,
  getActivity,
  getActivityByFingerprint,
  listActivities,
  storeActivity,
} from "../../../../services/api/store/activities.ts"
import { textLength } from "../../../../services/api/store/contents.ts"
import { closeDatabase, connectDatabase } from "../../../../services/database/database.ts"
import type { Page, Paged } from "../../../../services/api/store/page.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { insertAsBefore, nextId, sampleActivity, sampleVote } from "./sample.ts"

const [ODD, EVEN] = ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", "ACTIVITY_TYPE_CREATE_WALLET"]
const [EARLY, LATE] = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_CONSENSUS_NEEDED"]

t.test("reads by id and by fingerprint, within the organization only", async (t) => {
  const { sql } = await freshDatabase(t)
  const row = sampleActivity()
  await new ActivityBatcher(sql).insert(row)
  t.same(await getActivity(sql, row.organizationId, row.id), row)
  t.same(await getActivityByFingerprint(sql, row.organizationId, row.fingerprint), row)
  t.equal(await getActivity(sql, nextId(), row.id), undefined)
  t.equal(await getActivityByFingerprint(sql, nextId(), row.fingerprint), undefined)
  t.equal(await getActivity(sql, "not an id", "'; drop table activities"), undefined)
})

t.test("lists", async (t) => {
  const { sql } = await freshDatabase(t)
  const organizationId = nextId()
  const rows = Array.from({ length: 10 }, (_, index) =>
    sampleActivity({
      organizationId,
      type: index % 2 ? ODD : EVEN,
      status: index < 3 ? EARLY : LATE,
    }),
  )
  const batcher = new ActivityBatcher(sql)
  // The older half was stored by 0.1.0.
  for (const row of rows.slice(0, 5)) await insertAsBefore(sql, row)
  await Promise.all([...rows.slice(5).toReversed(), sampleActivity()].map((row) => batcher.insert(row)))
  const at = (index: number) => (rows[index] as ActivityRow).id
  const list = (filter: Parameters<typeof listActivities>[1], page: Page, maxBytes = 1 << 20) =>
    listActivities(sql, filter, page, maxBytes)
  const positions = (paged: Paged<ActivityRow>) =>
    "rows" in paged ? paged.rows.map((row) => rows.findIndex(({ id }) => id === row.id)) : paged

  t.test("newest first, of one organization", async (t) => {
    t.same(positions(await list({ organizationId }, { limit: 4 })), [9, 8, 7, 6])
    t.same(positions(await list({ organizationId: "none" }, { limit: 4 })), [])
  })

  t.test("older activities after a cursor, newer ones before it, nearest to the cursor", async (t) => {
    t.same(positions(await list({ organizationId }, { limit: 3, after: at(6) })), [5, 4, 3])
    t.same(positions(await list({ organizationId }, { limit: 3, after: at(1) })), [0])
    t.same(positions(await list({ organizationId }, { limit: 2, before: at(5) })), [7, 6])
    t.same(positions(await list({ organizationId }, { limit: 2, before: at(2), after: at(6) })), [5, 4])
  })

  t.test("by status and type, with cursors that the filter leaves out", async (t) => {
    const odd = { organizationId, types: [ODD] }
    t.same(positions(await list(odd, { limit: 2, after: at(6) })), [5, 3])
    t.same(positions(await list({ ...odd, statuses: [EARLY, "NONE"] }, { limit: 9 })), [1])
    t.same(positions(await list({ ...odd, types: [ODD, EVEN] }, { limit: 2 })), [9, 8])
  })

  t.test("as many as fit the bytes, nearest to the cursor, and at least one", async (t) => {
    const three = 3 * textLength(rows[0] as ActivityRow)
    t.same(positions(await list({ organizationId }, { limit: 9 }, three)), [9, 8, 7])
    t.same(positions(await list({ organizationId }, { limit: 9 }, three - 1)), [9, 8])
    t.same(positions(await list({ organizationId }, { limit: 9, before: at(4) }, three)), [7, 6, 5])
    // 0.1.0 stored the list of votes as text, which has two characters more.
    t.same(positions(await list({ organizationId }, { limit: 9, before: at(1) }, three)), [3, 2])
    t.same(positions(await list({ organizationId, types: [ODD] }, { limit: 9, after: at(8) }, 1)), [7])
  })

  t.test("names the cursor that is unknown", async (t) => {
    t.same(await list({ organizationId }, { limit: 3, after: nextId() }), {
      unknownCursor: "after",
    })
    t.same(await list({ organizationId }, { limit: 3, before: "x" }), {
      unknownCursor: "before",
    })
    t.same(await list({ organizationId: nextId() }, { limit: 3, after: at(3) }), {
      unknownCursor: "after",
    })
  })
})

t.test("activities that 0.1.0 stored are read and continued", async (t) => {
  const { sql } = await freshDatabase(t)
  const full = { votes: [sampleVote()], result: "{}", appProofs: "[]", failure: '{"code":3}' }
  const rows = [
    sampleActivity(),
    sampleActivity(full),
    sampleActivity({ ...full, deniedUserId: nextId(), status: "ACTIVITY_STATUS_FAILED" }),
  ]
  for (const row of rows) await insertAsBefore(sql, row)
  for (const row of rows) {
    t.strictSame(await getActivity(sql, row.organizationId, row.id), row)
    t.strictSame(await getActivityByFingerprint(sql, row.organizationId, row.fingerprint), row)
    // The same body again.
    t.strictSame(await new ActivityBatcher(sql).insert({ ...row, id: nextId() }), row)
  }
  const [pending] = rows
  const done = {
    ...(pending as ActivityRow),
    status: "ACTIVITY_STATUS_COMPLETED",
    votes: [sampleVote(), sampleVote()],
    result: "{}",
    updatedMs: 1_800_000_000_000,
  }
  t.strictSame(await sql.begin((tx) => storeActivity(tx, done)), done)
  t.strictSame(await getActivity(sql, done.organizationId, done.id), done)
  t.match(
    await sql`select votes, intent, length(contents) > 9 as packed from activities where id = ${done.id}`,
    [{ votes: null, intent: null, packed: true }],
    "its row has the present form",
  )
})

t.test("updates a pending activity, never a final or newer one", async (t) => {
  const { sql } = await freshDatabase(t)
  const store = (activity: ActivityRow) => sql.begin((tx) => storeActivity(tx, activity))
  const row = sampleActivity({ updatedMs: 1_000 })
  t.same(await store(row), row)
  const update = { ...row, votes: [sampleVote()], updatedMs: 2_000 }
  t.same(await store({ ...update, id: nextId() }), update, "it keeps its id")
  t.same(await store({ ...row, votes: [sampleVote()], updatedMs: 1_500 }), update)
  const done = { ...update, status: "ACTIVITY_STATUS_COMPLETED", result: "{}", updatedMs: 3_000 }
  t.same(await store(done), done)
  t.same(await store({ ...done, status: "ACTIVITY_STATUS_REJECTED", updatedMs: 4_000 }), done)
  t.same(await getActivity(sql, row.organizationId, row.id), done)
})

t.test("an activity cannot change between its reading and its replacement", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const other = connectDatabase({ url })
  t.teardown(() => closeDatabase(other))
  const row = sampleActivity()
  const add = (stored: ActivityRow) => ({ ...stored, votes: [...stored.votes, sampleVote()] })
  await new ActivityBatcher(sql).insert(row)
  const additions = Array.from({ length: 40 }, (_, index) =>
    (index % 2 === 0 ? sql : other).begin((tx) => storeActivity(tx, row, { merge: add })),
  )
  await Promise.all(additions)
  t.match(await getActivity(sql, row.organizationId, row.id), { votes: { length: 40 } })
})
