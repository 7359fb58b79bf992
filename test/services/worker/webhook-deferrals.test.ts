// Deferred notifications: whose turn it is, and the cost of a poll.
import { copyFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import t from "tap"
import { MIGRATIONS, migrate } from "../../../services/api/store/migrate.ts"
import { listDeliveries } from "../../../services/api/store/webhook-history.ts"
import type { Database } from "../../../services/database/database.ts"
import { deferredDeliveries } from "../../../services/worker/store/webhook-deferrals.ts"
import type { LeasedTarget } from "../../../services/worker/store/webhook-leases.ts"
import { nextDeliveries, storeAttempts } from "../../../services/worker/store/webhooks.ts"
import { freshDatabase } from "../../harness/database.ts"
import { watchPlans } from "../api/store/plans.ts"
import { endpoints, id, organization } from "./webhook-rows.ts"

const NOW_MS = 1_700_000_000_000

const take = (
  sql: Database,
  options: { limit?: number; topLevelLimit?: number; nowMs?: number; after?: string | undefined } = {},
) =>
  deferredDeliveries(sql, {
    limit: 16,
    topLevelLimit: 4,
    busy: [],
    leaseMs: 60_000,
    nowMs: NOW_MS,
    ...options,
  })

const topLevelsOf = ({ deliveries }: Awaited<ReturnType<typeof take>>) =>
  deliveries.map(({ topLevelId }) => topLevelId).toSorted()

t.test(
  "top-level organizations take turns, whichever has waited longest and however many one of them has",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const topLevels: string[] = []
    for (let number = 0; number < 70; number++) {
      topLevels.push(await organization(sql, 10 + number))
      const notifications = number === 0 ? 200 : 1
      await endpoints(sql, topLevels[number]!, { from: number, count: 1, notifications, state: "DEFERRED" })
    }
    const first = await take(sql)
    t.strictSame(topLevelsOf(first), topLevels.slice(0, 16), "one of each, before a second one of any")
    t.equal(first.last, topLevels[63])
    const second = await take(sql, { after: first.last })
    t.strictSame(
      topLevelsOf(second),
      topLevels.slice(64),
      "the next poll begins behind the organizations of the last one",
    )
    t.equal(second.last, undefined, "and the one after it at the beginning")
  },
)

t.test("a notification with an old signature is signed before it is sent, and no other one is", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  await endpoints(sql, owner, { count: 1, notifications: 10, state: "DEFERRED" })
  await sql`update webhook_deliveries set signed_at = now() - interval '5 minutes', retry_ms = created_ms`
  t.strictSame((await take(sql)).deliveries, [])
  const unsigned = await sql<
    { body: string }[]
  >`select body from webhook_deliveries where unsigned order by sequence`
  t.strictSame(
    unsigned.map(({ body }) => body),
    ["1", "2", "3", "4"],
    "as many as the top-level organization may send",
  )
  await sql`update webhook_deliveries set unsigned = false, signed_at = now() where unsigned`
  t.strictSame((await take(sql)).deliveries.map(({ body }) => body).toSorted(), ["1", "2", "3", "4"])
})

t.test(
  "notifications of a paused endpoint wait, and hold up no others of its top-level organization",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const owner = await organization(sql, 10)
    await endpoints(sql, owner, { from: 1, count: 1, notifications: 4, state: "DEFERRED" })
    await endpoints(sql, owner, { from: 2, count: 1, notifications: 4, state: "DEFERRED" })
    await sql`update webhook_targets set events = 0 where endpoint_id = ${id(0xe001)}`
    await sql`update webhook_deliveries set retry_ms = 1 where endpoint_id = ${id(0xe002)}`
    t.strictSame((await take(sql)).deliveries, [])
    const endpointsOf = async (nowMs: number) =>
      (await take(sql, { nowMs, topLevelLimit: 8 })).deliveries.map(({ endpointId }) => endpointId)
    t.strictSame(new Set(await endpointsOf(NOW_MS)), new Set([id(0xe002)]))
    await sql`update webhook_targets set events = 1`
    t.strictSame(new Set(await endpointsOf(NOW_MS + 60_000)), new Set([id(0xe001), id(0xe002)]))
  },
)

t.test("a deferred notification belongs to the top-level organization of its endpoint", async (t) => {
  const { sql } = await freshDatabase(t)
  const [parent, child] = [await organization(sql, 10), await organization(sql, 11, 10)]
  await endpoints(sql, child, { count: 1, notifications: 1 })
  const [row] = await sql<{ id: string }[]>`select id from webhook_deliveries`
  const attempt = { httpStatus: 500, fault: null, startedMs: 1, durationMs: 1, retryMs: 5 }
  await storeAttempts(sql, [{ id: row!.id, state: "DEFERRED", ...attempt }], NOW_MS)
  t.match(await take(sql), { deliveries: [{ topLevelId: parent, organizationId: child }] })
})

t.test("notifications that an earlier release deferred are listed and sent after an upgrade", async (t) => {
  const { sql } = await freshDatabase(t, { migrated: false })
  const earlier = t.testdir({})
  const names = (await readdir(MIGRATIONS)).filter((name) => name < "0041")
  for (const name of names) await copyFile(join(MIGRATIONS, name), join(earlier, name))
  await migrate(sql, earlier)
  const organizationId = await organization(sql, 10)
  const [endpointId, deliveryId] = [id(0xe001), id(0xd001)]
  await sql`
    insert into webhook_deliveries (id, organization_id, endpoint_id, source_id, event_type, subject_id, body, state,
      unsigned, signed_at, timestamp_ms, key_id, signature, created_ms, updated_ms, aside_family_id)
    values (${deliveryId}, ${organizationId}, ${endpointId}, ${organizationId}, 'ACTIVITY_UPDATES', ${id(1)}, 'body',
      'ASIDE', false, now() + interval '1 hour', 1, 'key', '\\x00', 1, 1, ${organizationId})`
  await sql`
    insert into webhook_targets (organization_id, endpoint_id, url, events)
    values (${organizationId}, ${endpointId}, 'https://hooks.example/', 1)`
  t.ok((await migrate(sql)).includes("0041_deferred_deliveries.sql"))
  const filter = { organizationId, endpointId, states: ["DEFERRED"], eventTypes: [] }
  t.match(await listDeliveries(sql, filter, { limit: 10 }), { rows: [{ id: deliveryId, state: "DEFERRED" }] })
  t.match(await take(sql), { deliveries: [{ id: deliveryId, topLevelId: organizationId, body: "body" }] })
  await endpoints(sql, organizationId, { from: 2, count: 1, notifications: 1, state: "DEFERRED" })
  t.equal((await take(sql)).deliveries.length, 1, "beside those of this release")
})

t.test("the first attempt counts since a notification was queued, whatever came before", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  await endpoints(sql, owner, { count: 1, notifications: 1 })
  const target = { organizationId: owner, endpointId: id(0xe001) } as LeasedTarget
  const next = async () => (await nextDeliveries(sql, target, { limit: 1, maxBytes: 1000 })).deliveries[0]!
  const { id: deliveryId, triedMs } = await next()
  t.equal(triedMs, null)
  const attempt = async (startedMs: number, state: "WAITING" | "DEFERRED" = "WAITING") => {
    const end = { id: deliveryId, state, retryMs: 0, httpStatus: 404, fault: null, startedMs, durationMs: 1 }
    await storeAttempts(sql, [end], startedMs)
  }
  await attempt(NOW_MS)
  await attempt(NOW_MS + 1000)
  t.equal((await next()).triedMs, NOW_MS)
  await sql`update webhook_deliveries set queued_ms = ${NOW_MS + 2000}, attempts = 0`
  t.equal((await next()).triedMs, null, "sent again: nothing was tried yet")
  await attempt(NOW_MS + 3000)
  await attempt(NOW_MS + 4000, "DEFERRED")
  const options = { limit: 1, topLevelLimit: 1, busy: [], leaseMs: 1, nowMs: NOW_MS + 5000 }
  t.match((await deferredDeliveries(sql, options)).deliveries, [{ triedMs: NOW_MS + 3000, attempts: 2 }])
})

t.test("a poll reads short ranges, however many notifications are deferred", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const [large, small] = [await organization(sql, 10), await organization(sql, 11)]
  await endpoints(sql, large, { from: 1, count: 1, notifications: 20_000, state: "DEFERRED" })
  await endpoints(sql, small, { from: 2, count: 1, notifications: 1, state: "DEFERRED" })
  await sql`update webhook_deliveries set retry_ms = created_ms, attempts = 1`
  await sql`
    insert into webhook_attempts (organization_id, delivery_id, started_ms, duration_ms)
    select organization_id, id, created_ms, 1 from webhook_deliveries`
  await sql`update webhook_deliveries set signed_at = now() - interval '5 minutes' where created_ms > 2`
  await sql`vacuum analyze`
  const { watched, requireRanges } = watchPlans(t, url)
  t.equal((await take(watched)).deliveries.length, 3)
  await requireRanges(t, { own: 300, generic: 300, short: ["webhook_targets"] })
})
