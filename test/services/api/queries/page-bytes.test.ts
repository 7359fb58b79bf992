import t from "tap"
import { MAX_PAGE_BYTES } from "../../../../services/api/queries/shared/pagination.ts"
import { ActivityBatcher } from "../../../../services/api/store/activities.ts"
import { ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { type Json, startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"
import { sampleActivity } from "../store/sample.ts"

const PAGE_ENDS_AT = "x-countersign-page-ends-at"
const ACTIVITIES = 20

const key = makeKey()
const api = await startApi(t)
const alice = user("alice", key)
await storeOrganization(api.sql, { users: [alice], rootQuorum: { threshold: 1, userIds: [alice.userId] } })
const intent = JSON.stringify({ signRawPayloadIntentV2: { payload: "ab".repeat(500_000) } })
const ids: string[] = []
for (let index = 0; index < ACTIVITIES; index++) {
  const row = sampleActivity({ organizationId: ORGANIZATION_ID, userId: alice.userId, intent })
  ids.unshift(row.id)
  await new ActivityBatcher(api.sql).insert(row)
}

async function page(paginationOptions: object) {
  const body = { organizationId: ORGANIZATION_ID, paginationOptions }
  const { status, text, json, headers } = await api.post("query/list_activities", body, key)
  t.equal(status, 200)
  t.ok(Buffer.byteLength(text) < MAX_PAGE_BYTES + 1000, "the answer is bounded")
  const shown = (json["activities"] as Json[]).map(({ id }) => id as string)
  return { shown, endsAt: headers.get(PAGE_ENDS_AT) }
}

t.test("a page of large activities ends early, with the cursor that continues it", async (t) => {
  const all: string[] = []
  let after: string | undefined
  let answers = 0
  do {
    const { shown, endsAt } = await page({ limit: "100", ...(after && { after }) })
    t.ok(shown.length > 0)
    if (endsAt !== null) t.equal(endsAt, shown.at(-1))
    all.push(...shown)
    after = endsAt ?? undefined
    answers++
  } while (after !== undefined)
  t.same(all, ids)
  t.ok(answers > 1)
})

t.test("backwards too: the activities nearest to the cursor are kept", async (t) => {
  const { shown, endsAt } = await page({ limit: "100", before: ids.at(-1) })
  t.ok(shown.length > 0 && shown.length < ids.length - 1)
  t.same(shown, ids.slice(ids.length - 1 - shown.length, -1))
  t.equal(endsAt, shown[0])
})

t.test("a page that its limit ends has no such header", async (t) => {
  const { shown, endsAt } = await page({ limit: "2" })
  t.same(shown, ids.slice(0, 2))
  t.equal(endsAt, null)
})
