// Lists of deliveries read short ranges of an index, however rare what they filter by is.
import t from "tap"
import type { Database } from "../../../../services/database/database.ts"
import { type DeliveryFilter, listDeliveries } from "../../../../services/api/store/webhook-history.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { watchPlans } from "./plans.ts"

const DELIVERIES = 20_000
/** One page of ten: one range for each pair of state and kind, and the rows. The table has thousands of blocks. */
const MAX_BUFFERS = 300

const { url, sql } = await freshDatabase(t)
const organizationId = "01900000-0000-7000-8000-000000000000"
await fill(sql)
const { watched, requireRanges, faultsOf } = watchPlans(t, url)

const filters: [string, Partial<DeliveryFilter>, number][] = [
  ["all", {}, DELIVERIES],
  ["a status that most have", { states: ["DELIVERED"] }, DELIVERIES - 3],
  ["a status that one has", { states: ["DEAD"] }, 1],
  ["two states of which two have one", { states: ["WAITING", "DEFERRED"] }, 2],
  ["a status, named twice", { states: ["DEAD", "DEAD"] }, 1],
  ["a kind that one has", { eventTypes: ["WEBHOOK_TEST"] }, 1],
  ["a kind that none has", { eventTypes: ["NONE"] }, 0],
  ["an endpoint", { endpointId: endpointOf(1) }, DELIVERIES / 2],
  ["a status that none has at the endpoint", { endpointId: endpointOf(1), states: ["DEAD"] }, 0],
  ["a status that one has at the endpoint", { endpointId: endpointOf(0), states: ["DEAD"] }, 1],
  ["an endpoint that got nothing", { endpointId: endpointOf(7) }, 0],
]

t.test("every filter of the list reads short ranges, on every page", async (t) => {
  for (const [name, filter, count] of filters) {
    for (const page of [
      { limit: 10 },
      { limit: 10, after: idOf(DELIVERIES) },
      { limit: 10, before: idOf(1) },
    ]) {
      t.test(`${name}, ${Object.keys(page).join(" and ")}`, async (t) => {
        const whole = { organizationId, endpointId: undefined, states: [], eventTypes: [], ...filter }
        const listed = await listDeliveries(watched, whole, page)
        const rows = "rows" in listed ? listed.rows : []
        if (page.after === undefined && page.before === undefined) t.equal(rows.length, Math.min(10, count))
        const ids = rows.map(({ id }) => id)
        t.strictSame(ids, ids.toSorted().toReversed(), "newest first")
        for (const row of rows) {
          if (filter.states) t.ok(filter.states.includes(row.state))
          if (filter.eventTypes) t.ok(filter.eventTypes.includes(row.eventType))
          if (filter.endpointId) t.equal(row.endpointId, filter.endpointId)
        }
        await requireRanges(t, { own: MAX_BUFFERS, generic: MAX_BUFFERS })
      })
    }
  }
})

t.test("notices a filter that walks the history", async (t) => {
  const text =
    "select id from webhook_deliveries where organization_id = $1 and http_status = $2 order by sequence desc limit 10"
  const parameters = [organizationId, 500]
  t.match((await faultsOf({ text, parameters }, MAX_BUFFERS)).at(-1), /buffers/)
})

/** Two endpoints, whose deliveries have arrived but for a dead one, one that waits, one deferred and a test. */
async function fill(sql: Database): Promise<void> {
  await sql`
    insert into webhook_targets (organization_id, endpoint_id, url, events)
    select ${organizationId}, endpoint, 'https://hooks.example', 1
    from unnest(${[endpointOf(0), endpointOf(1)]}::uuid[]) as endpoint`
  await sql`
    insert into webhook_targets (organization_id, endpoint_id, url, events)
    select gen_random_uuid(), gen_random_uuid(), 'https://hooks.example', 1 from generate_series(1, 5000)`
  await sql`
    insert into webhook_deliveries (organization_id, id, endpoint_id, source_id, event_type, subject_id, body, state,
      unsigned, created_ms, updated_ms)
    select ${organizationId}, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      (array[${endpointOf(0)}, ${endpointOf(1)}]::uuid[])[1 + n % 2], ${organizationId},
      case n when 11 then 'WEBHOOK_TEST' else 'ACTIVITY_UPDATES' end, gen_random_uuid(), repeat('x', 300),
      case n when 4 then 'DEAD' when 6 then 'WAITING' when 8 then 'DEFERRED' else 'DELIVERED' end, false, n, n
    from generate_series(1, ${DELIVERIES}::int) n order by n`
  await sql`vacuum analyze`
}

function idOf(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`
}

function endpointOf(number: number): string {
  return `01900000-0000-7000-8000-0000000e000${number}`
}
