// Several workers on one database: none sends what another one sends, and limits and turns hold over all of them.
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { createLogger } from "../../../services/common/logger.ts"
import type { Database } from "../../../services/database/database.ts"
import { storeWebhookTargets } from "../../../services/api/store/webhook-targets.ts"
import { endNext } from "../../../services/worker/store/webhook-endings.ts"
import { redeliverNext } from "../../../services/worker/store/webhook-redeliveries.ts"
import { leaseTargets, releaseTarget, renewLease } from "../../../services/worker/store/webhook-leases.ts"
import { deferredDeliveries } from "../../../services/worker/store/webhook-deferrals.ts"
import { WebhookDeliverer } from "../../../services/worker/webhooks/delivery.ts"
import { freshDatabase } from "../../harness/database.ts"
import { until } from "./start-worker.ts"
import { endpoints, id, organization } from "./webhook-rows.ts"

const LIMIT_OF_TOP_LEVEL = 4
const PLACES = 64

/** A worker's deliveries; `post` stands for the receivers. */
function startWorker(
  t: Test,
  sql: Database,
  post: (url: string, eventId: string, body: string) => Promise<void>,
) {
  const delivery = new WebhookDeliverer({
    sql,
    log: createLogger("test", "silent"),
    timeoutMs: 10_000,
    poster: {
      post: async (url, headers, body) => {
        await post(url, headers["X-Turnkey-Event-Id"] ?? "", body)
        return { status: 200 }
      },
      close: () => undefined,
    },
  })
  delivery.start()
  t.teardown(() => delivery.close())
}

/** Queues a notification, as the trigger of an activity does. */
const queueOne = (sql: Database, owner: string, endpoint: number) => sql`
  insert into webhook_deliveries
    (organization_id, endpoint_id, source_id, event_type, subject_id, body, created_ms, updated_ms)
  values (${owner}, ${id(endpoint)}, ${owner}, 'ACTIVITY_UPDATES', ${owner}, '{}', 1, 1)`

const countOf = async (sql: Database, state: string) =>
  (await sql`select from webhook_deliveries where state = ${state}`).count

t.test(
  "three workers send each notification once and in order, and share the limit of a top-level organization",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const [large, child, small] = [
      await organization(sql, 10),
      await organization(sql, 11, 10),
      await organization(sql, 12),
    ]
    const ofFamily = new Set([
      ...(await endpoints(sql, large, { from: 1, count: 10, notifications: 8 })),
      ...(await endpoints(sql, child, { from: 20, count: 10, notifications: 8 })),
    ])
    await endpoints(sql, small, { from: 40, count: 2, notifications: 8 })
    const sent: { url: string; eventId: string; body: string }[] = []
    const open = new Map<string, number>()
    let mostOpen = 0
    const post = async (url: string, eventId: string, body: string) => {
      sent.push({ url, eventId, body })
      open.set(url, (open.get(url) ?? 0) + 1)
      mostOpen = Math.max(mostOpen, [...open].filter(([one, count]) => count > 0 && ofFamily.has(one)).length)
      await pause(10)
      open.set(url, (open.get(url) ?? 0) - 1)
    }
    for (let worker = 0; worker < 3; worker++) startWorker(t, sql, post)
    await until(
      async () => (await countOf(sql, "DELIVERED")) === 22 * 8,
      () => `${sent.length} were sent`,
    )
    t.equal(sent.length, 22 * 8, "none is sent twice")
    t.equal(new Set(sent.map(({ eventId }) => eventId)).size, 22 * 8)
    for (const [url, list] of Map.groupBy(sent, (one) => one.url))
      for (const parity of [0, 1]) {
        const bodies = list.map(({ body }) => Number(body)).filter((n) => n % 2 === parity)
        t.strictSame(
          bodies,
          bodies.toSorted((a, b) => a - b),
          `${url} gets each organization's in order`,
        )
      }
    t.ok(
      mostOpen <= LIMIT_OF_TOP_LEVEL,
      `${mostOpen} receivers of a top-level organization are served at a time`,
    )
    t.ok(mostOpen > 1, "side by side")
  },
)

t.test(
  "a worker whose places are all held by silent receivers starves no organization: another one serves them",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const organizations = PLACES / LIMIT_OF_TOP_LEVEL
    for (let index = 0; index < organizations; index++) {
      const from = 1 + index * LIMIT_OF_TOP_LEVEL
      await endpoints(sql, await organization(sql, 100 + index), {
        from,
        count: LIMIT_OF_TOP_LEVEL,
        notifications: 1,
      })
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    t.teardown(release)
    const held: string[] = []
    startWorker(t, sql, async (url) => {
      held.push(url)
      await released
    })
    await until(
      async () => held.length === PLACES,
      () => `${held.length} places are held`,
    )
    const [quick = ""] = await endpoints(sql, await organization(sql, 12), {
      from: 0x500,
      count: 1,
      notifications: 5,
    })
    const sent: string[] = []
    startWorker(t, sql, async (url) => void sent.push(url))
    await until(
      async () => (await countOf(sql, "DELIVERED")) === 5,
      () => `sent: ${sent.join()}`,
    )
    t.strictSame(
      sent,
      Array.from({ length: 5 }, () => quick),
      "the second worker takes no held receiver",
    )
    t.equal(held.length, PLACES, "and the first one no more")
    release()
    await until(
      async () => (await countOf(sql, "WAITING")) === 0,
      () => "what was held ends",
    )
    t.equal(held.length, PLACES, "each once")
  },
)

t.test("a worker whose lease has ended neither prolongs nor ends the lease of another one", async (t) => {
  const { sql } = await freshDatabase(t)
  await endpoints(sql, await organization(sql, 10), { count: 1, notifications: 1 })
  const lease = { limit: 10, topLevelLimit: LIMIT_OF_TOP_LEVEL, leaseMs: 60_000, nowMs: Date.now() }
  const [slow] = await leaseTargets(sql, lease)
  t.same([...(await leaseTargets(sql, lease))], [], "leased")
  await sql`update webhook_targets set leased_until = now() - interval '1 second'`
  t.ok(slow !== undefined && (await renewLease(sql, slow, 1)) === undefined, "the lease was changed")
  const [other] = await leaseTargets(sql, lease)
  t.match(other, { endpointId: slow?.endpointId })
  await releaseTarget(sql, slow!, { failures: 7, retryMs: 0 })
  t.same([...(await leaseTargets(sql, lease))], [], "still leased")
  const renewed = await renewLease(sql, other!, 60_000)
  t.match(renewed, { endpointId: slow?.endpointId, failures: 0 })
  await releaseTarget(sql, other!, { failures: 7, retryMs: 0 })
  t.same([...(await leaseTargets(sql, lease))], [], "only the newest end of a lease releases it")
  await releaseTarget(sql, renewed!, { failures: 1, retryMs: 0 })
  t.match(await leaseTargets(sql, lease), [{ failures: 1 }])
})

t.test(
  "a top-level organization gets its share of deferred notifications, those being sent included",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const [large, small] = [await organization(sql, 10), await organization(sql, 12)]
    await endpoints(sql, large, { count: 1, notifications: 10, state: "DEFERRED" })
    await endpoints(sql, small, { from: 40, count: 1, notifications: 2, state: "DEFERRED" })
    const take = async (busy: string[]) => {
      const place = { limit: 16, topLevelLimit: LIMIT_OF_TOP_LEVEL, busy, leaseMs: 60_000 }
      const { deliveries } = await deferredDeliveries(sql, { ...place, nowMs: Date.now() })
      return [large, small].map((one) => deliveries.filter(({ topLevelId }) => topLevelId === one).length)
    }
    t.strictSame(await take([]), [4, 2])
    t.strictSame(await take([large, large, large]), [1, 0], "none is taken twice")
    t.strictSame(await take([large, large, large, large]), [0, 0])
  },
)

t.test("dead deliveries are sent again in pieces, endpoints in turn", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  await endpoints(sql, owner, { from: 1, count: 1, notifications: 1_203, state: "DEAD" })
  await endpoints(sql, owner, { from: 2, count: 1, notifications: 3, state: "DEAD" })
  await sql`update webhook_deliveries set body = null where body = '2' and endpoint_id = ${id(0xe001)}`
  const ask = (endpoint: number) =>
    sql`select redeliver_webhooks(${owner}, ${JSON.stringify({ endpointId: id(endpoint), deliveryIds: [] })}::text::json)`
  await ask(0xe001)
  await ask(0xe002)
  await ask(0xe003)
  t.equal(await countOf(sql, "WAITING"), 0, "the activity itself changes none")
  const waiting = async () =>
    Promise.all(
      [0xe001, 0xe002].map(
        async (endpoint) =>
          (
            await sql`select from webhook_deliveries where endpoint_id = ${id(endpoint)} and state = 'WAITING'`
          ).count,
      ),
    )
  // One delivery of each piece is without body and stays dead.
  await Promise.all([redeliverNext(sql), redeliverNext(sql), redeliverNext(sql)])
  t.strictSame(await waiting(), [499, 3], "two workers do not take the same piece")
  await ask(0xe001)
  await redeliverNext(sql)
  t.strictSame(await waiting(), [998, 3], "asked again, it begins again with what is dead")
  await redeliverNext(sql)
  t.strictSame(await waiting(), [1_202, 3])
  t.equal(
    (await sql`select from webhook_redeliveries`).count,
    0,
    "nothing is left to do, of a removed endpoint too",
  )
  await redeliverNext(sql)
  t.equal(await countOf(sql, "DEAD"), 1, "what never had a body stays dead")
})

t.test(
  "what waits for a removed target ends in pieces, and a target with its id keeps its own",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const owner = await organization(sql, 10)
    const [url = ""] = await endpoints(sql, owner, { from: 1, count: 1, notifications: 1_203 })
    const kept = await endpoints(sql, owner, { from: 2, count: 1, notifications: 3, state: "DEFERRED" })
    const target = (endpoint: number, to: string) => ({ endpointId: id(endpoint), url: to, events: 1 })
    const store = (...targets: ReturnType<typeof target>[]) =>
      sql.begin((tx) => storeWebhookTargets(tx, owner, { version: 1n, targets }))
    await store(target(0xe002, kept[0] ?? ""))
    t.equal(await countOf(sql, "WAITING"), 1_203, "the activity itself changes none")
    const lease = { limit: PLACES, topLevelLimit: LIMIT_OF_TOP_LEVEL, leaseMs: 60_000, nowMs: Date.now() }
    t.strictSame([...(await leaseTargets(sql, lease))], [], "and none of them is sent")
    await sql.begin(async (tx) => {
      await tx`select from webhook_endings for update`
      await endNext(sql, 1)
    })
    t.equal(await countOf(sql, "DEAD"), 0, "two workers do not take the same piece")
    await endNext(sql, 1)
    t.equal(await countOf(sql, "DEAD"), 500)
    await store(target(0xe001, url), target(0xe002, kept[0] ?? ""))
    await queueOne(sql, owner, 0xe001)
    await endNext(sql, 2)
    await endNext(sql, 3)
    t.strictSame([await countOf(sql, "DEAD"), await countOf(sql, "WAITING")], [1_203, 1])
    await endNext(sql, 4)
    t.equal(
      (await sql`select from webhook_endings`).count,
      1,
      "activities that were being stored may queue more",
    )
    await store(target(0xe002, kept[0] ?? ""))
    await queueOne(sql, owner, 0xe001)
    for (let nowMs = 5; nowMs < 10 * 60_000; nowMs += 60_001) await endNext(sql, nowMs)
    t.strictSame(
      [await countOf(sql, "DEAD"), await countOf(sql, "WAITING")],
      [1_205, 0],
      "nothing waits for ever",
    )
    t.equal((await sql`select from webhook_endings`).count, 0)
    t.equal(await countOf(sql, "DEFERRED"), 3)
  },
)

t.test("a worker that runs ends what waits for a removed target", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  await endpoints(sql, owner, { from: 1, count: 1, notifications: 700 })
  await sql.begin((tx) => storeWebhookTargets(tx, owner, { version: 1n, targets: [] }))
  startWorker(t, sql, async () => undefined)
  await until(
    async () => (await countOf(sql, "DEAD")) === 700,
    () => "some wait",
  )
})
