// A worker without work: what it asks the database, and what ends its rest.
import t from "tap"
import { createLogger } from "../../../services/common/logger.ts"
import { type Database, poolState } from "../../../services/database/database.ts"
import { WorkSignals } from "../../../services/database/work-signals.ts"
import { nextWebhookWork } from "../../../services/worker/store/webhook-work.ts"
import { WebhookDeliverer } from "../../../services/worker/webhooks/delivery.ts"
import { freshDatabase } from "../../harness/database.ts"
import { watchPlans } from "../api/store/plans.ts"
import { until } from "./start-worker.ts"
import { endpoints, id, organization } from "./webhook-rows.ts"

const NOW_MS = 1_700_000_000_000

/** What may wait, with the statement that makes it wait. */
const WAITING: { [what: string]: (sql: Database, owner: string) => Promise<unknown> } = {
  "a changed target": (sql, owner) =>
    sql`insert into webhook_wakes (organization_id, endpoint_id) values (${owner}, ${id(1)})`,
  "a redelivery": (sql, owner) =>
    sql`insert into webhook_redeliveries (organization_id, endpoint_id, remaining) values (${owner}, ${id(1)}, 1)`,
  "a deferred notification": (sql, owner) =>
    sql`
      insert into webhook_deliveries (organization_id, endpoint_id, source_id, event_type, subject_id, body, state, unsigned,
        created_ms, updated_ms, deferred_family_id)
      values (${owner}, ${id(1)}, ${owner}, 'ACTIVITY_UPDATES', ${owner}, '{}', 'DEFERRED', false, 1, 1, ${owner})`,
  "a removed target": (sql, owner) =>
    sql`insert into webhook_endings (organization_id, endpoint_id, last_sequence) values (${owner}, ${id(1)}, 1)`,
  "a target whose turn it is": (sql, owner) =>
    sql`insert into webhook_families (organization_id, due_ms) values (${owner}, ${NOW_MS})`,
}

for (const [what, wait] of Object.entries(WAITING))
  t.test(`${what} is work`, async (t) => {
    const { sql } = await freshDatabase(t)
    const owner = await organization(sql, 10)
    t.equal(await nextWebhookWork(sql, NOW_MS), undefined, "nothing waits")
    await wait(sql, owner)
    t.equal(await nextWebhookWork(sql, NOW_MS), NOW_MS)
  })

t.test("a target that is due later is work then", async (t) => {
  const { sql } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  await sql`insert into webhook_families (organization_id, due_ms) values (${owner}, ${NOW_MS + 700})`
  t.equal(await nextWebhookWork(sql, NOW_MS), NOW_MS + 700)
  t.equal(await nextWebhookWork(sql, NOW_MS + 800), NOW_MS + 800)
})

t.test("a look reads short ranges, however much was sent", async (t) => {
  const { sql, url } = await freshDatabase(t)
  const owner = await organization(sql, 10)
  await endpoints(sql, owner, { count: 1, notifications: 20_000, state: "DELIVERED" })
  await sql`vacuum analyze`
  const { watched, requireRanges } = watchPlans(t, url)
  await nextWebhookWork(watched, NOW_MS)
  // Empty here. Of a long one the look reads the first row.
  const short = ["wakes", "redeliveries", "families", "endings"].map((table) => `webhook_${table}`)
  await requireRanges(t, { own: 300, generic: 300, short })
})

t.test("a worker without work sends one statement for each look, and looks after a signal", async (t) => {
  const { sql } = await freshDatabase(t)
  const signals = new WorkSignals()
  const delivery = new WebhookDeliverer({
    sql,
    signals,
    log: createLogger("test", "silent"),
    timeoutMs: 1_000,
    poster: { post: () => Promise.resolve({ status: 200 }), close: () => undefined },
  })
  delivery.start()
  t.teardown(() => delivery.close())
  const asked = () => poolState(sql).asked
  /** The statements until a look is over. */
  const rested = async (atLeast: number) => {
    let before = -1
    await until(
      async () => asked() >= atLeast && before === (before = asked()),
      () => `${asked()} statements`,
    )
    return asked()
  }
  // The first poll also deletes what has ended long ago.
  let before = await rested(9)
  for (let look = 0; look < 3; look++) {
    signals.announce()
    const after = await rested(before + 1)
    t.ok(after - before <= 2, "its own, and at most one of a look that was due at the same time")
    before = after
  }
})
