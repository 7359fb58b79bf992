import t from "tap"
import {
  ActivityBatcher,
  type ActivityRow,
  getActivity,
  getActivityByFingerprint,
  listActivities,
  storeActivity,
} from "../../../../services/api/store/activities.ts"
import { closeDatabase, connectDatabase } from "../../../../services/database/database.ts"
import type { Page, Paged } from "../../../../services/api/store/page.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId, sampleActivity } from "./sample.ts"

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
      type: index % 2 ? "ODD" : "EVEN",
      status: index < 3 ? "EARLY" : "LATE",
    }),
  )
  const batcher = new ActivityBatcher(sql)
  await Promise.all([...rows.toReversed(), sampleActivity()].map((row) => batcher.insert(row)))
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
    const odd = { organizationId, types: ["ODD"] }
    t.same(positions(await list(odd, { limit: 2, after: at(6) })), [5, 3])
    t.same(positions(await list({ ...odd, statuses: ["EARLY", "NONE"] }, { limit: 9 })), [1])
    t.same(positions(await list({ ...odd, types: ["ODD", "EVEN"] }, { limit: 2 })), [9, 8])
  })

  t.test("as many as fit the bytes, nearest to the cursor, and at least one", async (t) => {
    const { intent, votes } = rows[0] as ActivityRow
    const three = 3 * Buffer.byteLength(intent + votes)
    t.same(positions(await list({ organizationId }, { limit: 9 }, three)), [9, 8, 7])
    t.same(positions(await list({ organizationId }, { limit: 9 }, three - 1)), [9, 8])
    t.same(positions(await list({ organizationId }, { limit: 9, before: at(2) }, three)), [5, 4, 3])
    t.same(positions(await list({ organizationId, types: ["ODD"] }, { limit: 9, after: at(8) }, 1)), [7])
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

t.test("updates a pending activity, never a final or newer one", async (t) => {
  const { sql } = await freshDatabase(t)
  const store = (activity: ActivityRow) => sql.begin((tx) => storeActivity(tx, activity))
  const row = sampleActivity({ updatedMs: 1_000 })
  t.same(await store(row), row)
  const update = { ...row, votes: "[1]", updatedMs: 2_000 }
  t.same(await store({ ...update, id: nextId() }), update, "it keeps its id")
  t.same(await store({ ...row, votes: "[0]", updatedMs: 1_500 }), update)
  const done = { ...update, status: "ACTIVITY_STATUS_COMPLETED", result: "{}", updatedMs: 3_000 }
  t.same(await store(done), done)
  t.same(await store({ ...done, status: "ACTIVITY_STATUS_REJECTED", updatedMs: 4_000 }), done)
  t.same(await getActivity(sql, row.organizationId, row.id), done)
})

t.test("an activity cannot change between its reading and its replacement", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const other = connectDatabase({ url })
  t.teardown(() => closeDatabase(other))
  const row = sampleActivity({ votes: "0" })
  const add = (stored: ActivityRow) => ({ ...stored, votes: String(Number(stored.votes) + 1) })
  await new ActivityBatcher(sql).insert(row)
  const additions = Array.from({ length: 40 }, (_, index) =>
    (index % 2 === 0 ? sql : other).begin((tx) => storeActivity(tx, row, add)),
  )
  await Promise.all(additions)
  t.match(await getActivity(sql, row.organizationId, row.id), { votes: "40" })
})
