import t from "tap"
import type { WholeActivityJson } from "../../../services/common/activity-json.ts"
import {
  findActivities,
  isComparedHere,
  MAX_READ,
  NO_FILTER,
  queryOf,
} from "../../../services/dashboard/pages/activities/filter.ts"

/** Activity number `index` of a list whose newest is 0: one an hour, asked for by users in turn. */
function activity(index: number): WholeActivityJson {
  const createdAt = new Date(Date.parse("2026-06-30T12:00:00") - index * 3_600_000).toISOString()
  const votes = [{ userId: index % 3 === 0 ? "alice" : "bob" }]
  return { id: String(index), createdAt, votes } as WholeActivityJson
}

/** A list of so many activities, and the number of pages that were read of it. */
function list(length: number) {
  const seen = { pages: 0 }
  const read = async (limit: number, after: string | undefined) => {
    seen.pages += 1
    const from = after === undefined ? 0 : Number(after) + 1
    return Array.from({ length: Math.max(0, Math.min(limit, length - from)) }, (_, at) => activity(from + at))
  }
  return { seen, read, wordsOf: ({ id }: WholeActivityJson) => `Pay supplier ${id}` }
}

const idsOf = (rows: readonly WholeActivityJson[]) => rows.map(({ id }) => id)

t.test("C-1825: activities are found by person, by text and by days, in the order of the list", async (t) => {
  const person = await findActivities({ ...NO_FILTER, person: "alice" }, undefined, 3, list(50))
  t.same(idsOf(person.rows), ["0", "3", "6"])
  t.equal(person.last, "6")
  const rest = await findActivities({ ...NO_FILTER, person: "alice" }, person.last, 2, list(50))
  t.same(idsOf(rest.rows), ["9", "12"], "the next ones follow the last that was read")
  const text = await findActivities({ ...NO_FILTER, text: " SUPPLIER 4 " }, undefined, 3, list(50))
  t.same(
    idsOf(text.rows),
    ["4"].concat(["40", "41"]).filter((id) => `pay supplier ${id}`.includes("supplier 4")),
  )
  const days = { ...NO_FILTER, from: "2026-06-29", until: "2026-06-29" }
  const found = await findActivities(days, undefined, 100, list(500))
  t.equal(found.rows.length, 24)
  t.same([found.rows[0]?.id, found.rows.at(-1)?.id], ["13", "36"])
  t.equal(found.last, undefined, "older ones cannot fit, and are not read")
})

t.test("a search without an end reads a bounded number, and says where it stopped", async (t) => {
  const source = list(5000)
  const found = await findActivities({ ...NO_FILTER, person: "carol" }, undefined, 25, source)
  t.same(found, { rows: [], read: MAX_READ, last: String(MAX_READ - 1) })
  t.equal(source.seen.pages, 10)
})

t.test("status and type are left to the API", async (t) => {
  t.notOk(isComparedHere({ ...NO_FILTER, status: "S", type: "T" }))
  t.same(queryOf({ ...NO_FILTER, status: "S", type: "T", person: "x" }), {
    filterByStatus: ["S"],
    filterByType: ["T"],
  })
  for (const name of ["person", "from", "until", "text"]) t.ok(isComparedHere({ ...NO_FILTER, [name]: "x" }))
})
