// The queue of webhook targets: whose turn it is, and the cost of a poll.
import t from "tap"
import { storeSigned } from "../../../services/api/store/webhook-deliveries.ts"
import { storeWebhookTargets } from "../../../services/api/store/webhook-targets.ts"
import type { Database } from "../../../services/database/database.ts"
import {
  leaseTargets,
  releaseTarget,
  type LeasedTarget,
} from "../../../services/worker/store/webhook-leases.ts"
import { freshDatabase } from "../../harness/database.ts"
import { watchPlans } from "../api/store/plans.ts"
import { endpoints, id, organization } from "./webhook-rows.ts"

const NOW_MS = 1_700_000_000_000

/** Leases as the worker does, with `limit` free places. */
const lease = (sql: Database, limit: number, nowMs = NOW_MS) =>
  leaseTargets(sql, { limit, topLevelLimit: 4, leaseMs: 60_000, nowMs })

const organizationsOf = (targets: readonly LeasedTarget[]) =>
  targets.map(({ organizationId }) => organizationId).toSorted()

t.test("a top-level organization with a thousand targets takes turns with the others", async (t) => {
  const { sql } = await freshDatabase(t)
  const [large, ...small] = [
    await organization(sql, 10),
    await organization(sql, 11),
    await organization(sql, 12),
  ]
  await endpoints(sql, large, { count: 1000, notifications: 1 })
  t.strictSame(organizationsOf(await lease(sql, 64)), [large, large, large, large])
  for (const [index, one] of small.entries())
    await endpoints(sql, one, { from: 2000 + index, count: 1, notifications: 1 })
  t.strictSame(
    organizationsOf(await lease(sql, 64)),
    small,
    "what comes later waits for none of the thousand",
  )
  t.strictSame(await lease(sql, 64), [], "its places are taken")
})

t.test(
  "top-level organizations get one free place in turn, those first that have waited longest",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const owners: string[] = []
    for (const [index, number] of [10, 11, 12].entries()) {
      owners.push(await organization(sql, number))
      await endpoints(sql, owners[index]!, { from: 1 + 100 * index, count: 3, notifications: 1 })
      t.strictSame(await lease(sql, 0, NOW_MS + index), [], "noted, and no place is free")
    }
    const turns: string[] = []
    for (let turn = 0; turn < 6; turn++) {
      const nowMs = NOW_MS + 1000 * (turn + 1)
      const [target] = await lease(sql, 1, nowMs)
      turns.push(target!.organizationId)
      await releaseTarget(sql, target!, { failures: 0, retryMs: nowMs })
    }
    t.strictSame(turns, [...owners, ...owners])
  },
)

t.test(
  "a place that is given back, or whose lease ends, is free again for its top-level organization",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const owner = await organization(sql, 10)
    await endpoints(sql, owner, { count: 6, notifications: 1 })
    const [first] = await lease(sql, 64)
    t.equal((await lease(sql, 64)).length, 0)
    await releaseTarget(sql, first!, { failures: 1, retryMs: NOW_MS + 5_000 })
    t.equal((await lease(sql, 64)).length, 1, "of a receiver that failed another one gets the place")
    await sql`delete from webhook_deliveries where endpoint_id = ${first!.endpointId}`
    t.equal((await lease(sql, 64, NOW_MS + 5_000)).length, 0)
    await sql`update webhook_targets set leased_until = now() - interval '1 second' where leased_until > now()`
    t.equal((await lease(sql, 64, NOW_MS + 5_000)).length, 4, "a worker that was killed holds none for ever")
  },
)

t.test("a target without notifications is leased once they are signed, and not before", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  const endpointId = id(0xe001)
  await sql.begin((tx) =>
    storeWebhookTargets(tx, owner, {
      version: 1n,
      targets: [{ endpointId, url: "https://hooks.example/", events: 1 }],
    }),
  )
  t.strictSame(await lease(sql, 64), [])
  const [queued] = await sql<{ id: string }[]>`
    insert into webhook_deliveries
      (organization_id, endpoint_id, source_id, event_type, subject_id, body, created_ms, updated_ms)
    values (${owner}, ${endpointId}, ${owner}, 'ACTIVITY_UPDATES', ${owner}, '{}', 1, 1) returning id`
  t.strictSame(await lease(sql, 64), [])
  const signed = [{ id: queued!.id, body: "{}", signature: new Uint8Array(64) }]
  await sql.begin(async (tx) => {
    await storeSigned(tx, signed, { keyId: "key", timestampMs: NOW_MS })
    t.strictSame(await lease(sql, 64), [], "not before the signature is committed")
  })
  const [target] = await lease(sql, 64)
  t.match(target, { organizationId: owner, endpointId: endpointId })
  await sql`update webhook_deliveries set state = 'DELIVERED'`
  // Signed while the worker still holds the target, and polls it no longer.
  const [late] = await sql<{ id: string }[]>`
    insert into webhook_deliveries
      (organization_id, endpoint_id, source_id, event_type, subject_id, body, created_ms, updated_ms)
    values (${owner}, ${endpointId}, ${owner}, 'ACTIVITY_UPDATES', ${owner}, '{}', 2, 2) returning id`
  await storeSigned(sql, [{ ...signed[0]!, id: late!.id }], { keyId: "key", timestampMs: NOW_MS })
  t.strictSame(await lease(sql, 64), [], "it is leased")
  await releaseTarget(sql, target!, { failures: 0, retryMs: NOW_MS })
  t.match(await lease(sql, 64), [{ endpointId: endpointId }], "none is lost between two leases")
})

t.test("a target that is paused is not leased, and one that goes on is", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  const [url = ""] = await endpoints(sql, owner, { count: 1, notifications: 1 })
  const change = (events: number) =>
    sql.begin((tx) =>
      storeWebhookTargets(tx, owner, { version: 1n, targets: [{ endpointId: id(0xe001), url, events }] }),
    )
  await change(0)
  t.strictSame(await lease(sql, 64), [])
  await change(1)
  t.match(await lease(sql, 64), [{ url }])
})

t.test("an activity that is being stored, and changes a target, delays no other target", async (t) => {
  const { sql } = await freshDatabase(t)
  const [one, other] = [await organization(sql, 10), await organization(sql, 11)]
  const [url = ""] = await endpoints(sql, one, { from: 1, count: 1, notifications: 1 })
  await endpoints(sql, other, { from: 2, count: 1, notifications: 1 })
  await sql.begin(async (tx) => {
    await storeWebhookTargets(tx, one, {
      version: 1n,
      targets: [{ endpointId: id(0xe001), url: `${url}/new`, events: 1 }],
    })
    t.strictSame(organizationsOf(await lease(sql, 64)), [other])
  })
  t.match(await lease(sql, 64), [{ organizationId: one, url: `${url}/new` }], "it has its turn afterwards")
})

t.test("a poll reads short ranges, however many targets wait", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const count = 20_000
  const large = await organization(sql, 10)
  await endpoints(sql, large, { count, notifications: 1 })
  await sql`
    insert into organizations (id, name, version, deleted, document, created_ms)
    select ('01900000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'o', 1, false, '\\x00', 1
    from generate_series(1, ${count}::int) n`
  await sql`
    insert into webhook_deliveries (organization_id, endpoint_id, source_id, event_type, subject_id, body, created_ms,
      updated_ms)
    select id, ${id(1)}, id, 'ACTIVITY_UPDATES', id, '{}', 1, 1 from organizations where id <> ${large}`
  await sql`
    insert into webhook_targets (organization_id, endpoint_id, url, events)
    select id, ${id(1)}, 'https://hooks.example/', 1 from organizations where id <> ${large}`
  // The first polls read that the targets are new.
  const wakes = async () => (await sql`select from webhook_wakes`).count
  while ((await wakes()) > 0) await lease(sql, 0)
  for (const target of await lease(sql, 64))
    await releaseTarget(sql, target, { failures: 0, retryMs: NOW_MS })
  await sql`vacuum analyze`
  const { watched, requireRanges } = watchPlans(t, url)
  t.equal((await lease(watched, 64, NOW_MS + 1)).length, 64)
  await requireRanges(t, { own: MAX_BUFFERS, generic: MAX_BUFFERS, short: ["webhook_wakes"] })
})

/** Blocks of each statement for 64 targets that were given back and 64 that are leased; the tables have thousands. */
const MAX_BUFFERS = 3_000
