import t from "tap"
import { applyChange } from "../../../../services/api/store/changes.ts"
import { getOrganizations } from "../../../../services/api/store/organizations.ts"
import type { Paged } from "../../../../services/api/store/page.ts"
import { listRecords } from "../../../../services/api/store/records.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId, sampleChange, sampleRecord } from "./sample.ts"

t.test("lists records", async (t) => {
  const { sql } = await freshDatabase(t)
  const organizationId = nextId()
  const [first, second] = [nextId(), nextId()]
  const records = Array.from({ length: 8 }, (_, index) =>
    sampleRecord({ kind: 2, parentId: index % 2 ? second : first, deleted: index === 4 }),
  )
  await applyChange(
    sql,
    sampleChange(organizationId, 1n, { records: [sampleRecord(), ...records.toReversed()] }),
  )
  const at = (index: number) => records[index]?.id as string
  const positions = (paged: Paged<{ id: string }>) =>
    "rows" in paged ? paged.rows.map((row) => records.findIndex(({ id }) => id === row.id)) : paged
  const all = { organizationId, kind: 2 }

  t.test("oldest first, without deleted ones", async (t) => {
    t.same(positions(await listRecords(sql, all, { limit: 100 })), [0, 1, 2, 3, 5, 6, 7])
    t.same(positions(await listRecords(sql, { ...all, parentId: first }, { limit: 2 })), [0, 2])
    t.same(positions(await listRecords(sql, { ...all, parentId: "?" }, { limit: 2 })), [])
  })

  t.test("newest first", async (t) => {
    t.same(positions(await listRecords(sql, all, { limit: 3 }, "descending")), [7, 6, 5])
    t.same(positions(await listRecords(sql, all, { limit: 2, after: at(5) }, "descending")), [3, 2])
    t.same(positions(await listRecords(sql, all, { limit: 2, before: at(2) }, "descending")), [5, 3])
  })

  t.test("around cursors, a deleted one and one of another parent too", async (t) => {
    t.same(positions(await listRecords(sql, all, { limit: 2, after: at(2) })), [3, 5])
    t.same(positions(await listRecords(sql, all, { limit: 2, before: at(6) })), [3, 5])
    t.same(positions(await listRecords(sql, all, { limit: 9, after: at(1), before: at(6) })), [2, 3, 5])
    t.same(positions(await listRecords(sql, { ...all, parentId: first }, { limit: 9, after: at(4) })), [6])
    t.same(positions(await listRecords(sql, { ...all, parentId: first }, { limit: 9, after: at(1) })), [2, 6])
  })

  t.test("naming an unknown cursor", async (t) => {
    t.same(await listRecords(sql, all, { limit: 2, after: nextId() }), { unknownCursor: "after" })
    t.same(await listRecords(sql, { ...all, kind: 1 }, { limit: 2, before: at(2) }), {
      unknownCursor: "before",
    })
    t.same(await listRecords(sql, { ...all, organizationId: "?" }, { limit: 2, before: at(2) }), {
      unknownCursor: "before",
    })
  })
})

t.test("reads several documents", async (t) => {
  const { sql } = await freshDatabase(t)
  const ids = [nextId(), nextId(), nextId()]
  for (const [index, id] of ids.entries()) await applyChange(sql, sampleChange(id, BigInt(index + 1)))
  const found = await getOrganizations(sql, [ids[2] as string, nextId(), "no id", ids[0] as string])
  t.same(
    found.map((row) => [row.id, row.name]),
    [
      [ids[0], "version 1"],
      [ids[2], "version 3"],
    ],
  )
  t.same(await getOrganizations(sql, []), [])
})
