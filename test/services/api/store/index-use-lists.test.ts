// Each filter of a list reads short ranges of an index, however many rows another filter would return.
import t from "tap"
import { listActivities } from "../../../../services/api/store/activities.ts"
import type { Database } from "../../../../services/database/database.ts"
import { listRecords } from "../../../../services/api/store/records.ts"
import { listPending } from "../../../../services/api/store/pending.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { watchPlans } from "./plans.ts"
import { everyRecord } from "./sample.ts"

const ACTIVITIES = 20_000
const RECORDS = 20_000
/** One page of ten: its rows, and one range for each pair of type and status. The table has thousands of blocks. */
const MAX_BUFFERS = 300
const MAX_BYTES = 1 << 20

const { url, sql } = await freshDatabase(t)
const organizationId = "01900000-0000-7000-8000-000000000000"
await fill(sql)
const { watched, requireRanges, faultsOf } = watchPlans(t, url)

const filters: [string, { statuses?: string[]; types?: string[] }][] = [
  ["all activities", {}],
  ["a status that most have", { statuses: ["COMPLETED"] }],
  ["a status that few have", { statuses: ["FAILED"] }],
  ["a status that none has", { statuses: ["REJECTED"] }],
  ["a type that few have", { types: ["RARE"] }],
  ["a type that none has", { types: ["NONE"] }],
  ["several types", { types: ["SIGN", "RARE", "NONE"] }],
  ["types and statuses", { types: ["SIGN", "CREATE"], statuses: ["COMPLETED", "FAILED"] }],
  ["a pair that none has", { types: ["SIGN"], statuses: ["FAILED"] }],
]
const pages = [{ limit: 10 }, { limit: 10, after: idOf(ACTIVITIES / 2) }, { limit: 10, before: idOf(7) }]

for (const [name, filter] of filters) {
  for (const page of pages) {
    t.test(`list_activities: ${name}, ${Object.keys(page).join(" and ")}`, async (t) => {
      await listActivities(watched, { organizationId, ...filter }, page, MAX_BYTES)
      await requireRanges(t, { own: MAX_BUFFERS, generic: MAX_BUFFERS })
    })
  }
}

t.test("list_wallet_accounts: beside many deleted accounts", async (t) => {
  for (const parentId of [undefined, organizationId]) {
    for (const page of [{ limit: 10 }, { limit: 10, after: idOf(3) }, { limit: 10, before: idOf(RECORDS) }]) {
      await listRecords(watched, { organizationId, kind: 2, parentId }, page)
      await requireRanges(t, { own: MAX_BUFFERS, generic: MAX_BUFFERS })
    }
  }
})

t.test("list_wallets: beside many deleted wallets", async (t) => {
  await everyRecord(watched, organizationId, 1)
  await requireRanges(t, { own: MAX_BUFFERS, generic: MAX_BUFFERS })
})

t.test("activities that wait for too long are found by an index beside a long history", async (t) => {
  await sql`
    insert into activities (organization_id, id, fingerprint, type, status, user_id, intent, votes, created_ms, updated_ms)
    values (${idOf(1)}, ${idOf(1)}, ${Buffer.alloc(32)}, 'SIGN', 'ACTIVITY_STATUS_CONSENSUS_NEEDED', ${idOf(1)}, '{}', '[]', 7, 7)`
  t.match(await listPending(watched, ACTIVITIES), [{ id: idOf(1), createdMs: 7n }])
  t.same(await listPending(watched, ACTIVITIES, { createdMs: 7n, id: idOf(1) }), [])
  t.same(await listPending(watched, 6), [])
  await requireRanges(t, { own: MAX_BUFFERS, generic: MAX_BUFFERS })
})

t.test("notices a filter that walks the history", async (t) => {
  const text =
    "select id from activities where organization_id = $1 and user_id = $2 order by id desc limit 10"
  const parameters = [organizationId, idOf(1)]
  t.match((await faultsOf({ text, parameters }, MAX_BUFFERS)).at(-1), /buffers/)
})

/** Mostly signatures; of 2,000 activities each one is rare. One record in a thousand is not deleted. */
async function fill(sql: Database): Promise<void> {
  const id = sql.unsafe("('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid")
  await sql`
    insert into activities (organization_id, id, fingerprint, type, status, user_id, intent, votes, created_ms, updated_ms)
    select ${organizationId}, ${id}, sha256(n::text::bytea),
      case when n % 2000 = 0 then 'RARE' when n % 2000 = 1 then 'CREATE' else 'SIGN' end,
      case when n % 4000 = 1 then 'FAILED' else 'COMPLETED' end,
      ${organizationId}, repeat('x', 300), '[]', n, n
    from generate_series(1, ${ACTIVITIES}) n`
  for (const kind of [1, 2])
    await sql`
      insert into records (organization_id, kind, id, parent_id, version, deleted, bytes)
      select ${organizationId}, ${kind}, ${id}, ${organizationId}, 1, n % 1000 <> 0, decode(repeat('00', 200), 'hex')
      from generate_series(1, ${RECORDS}) n`
  await sql`vacuum analyze`
}

function idOf(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`
}
