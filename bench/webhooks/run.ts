import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { closeDatabase, connectDatabase, type Database } from "../../services/database/database.ts"
import { startChild } from "../child.ts"
import { inOwnDirectory, type RunContext } from "../own-directory.ts"
import { watchInterruption } from "../interruption.ts"
import type { LoadAnswer, LoadQuestion } from "../load/target.ts"
import { describeMachine, type Machine } from "../machine.ts"
import { watchDrift } from "../run.ts"
import { StampingClient } from "../suborgs/caller.ts"
import { startEmbedded } from "../system/database-server.ts"
import { startSystem } from "../system/system.ts"
import { createEndpoint, submitted } from "./endpoints.ts"
import { openReceiver, type Receiver } from "./receiver.ts"

export type WebhooksPlan = {
  /** Notifications that wait when the receiver comes back: an hour's, at ten a second. */
  backlog: number
  rounds: number
  /** Length of one window of signatures. */
  seconds: number
  connections: number
}

export const FULL_PLAN: WebhooksPlan = { backlog: 36_000, rounds: 5, seconds: 3, connections: 16 }
export const SHORT_PLAN: WebhooksPlan = { backlog: 20, rounds: 1, seconds: 0.3, connections: 2 }

export type WebhooksRun = {
  machine: Machine
  /** Signatures a second: without an endpoint, while the receiver is down, and while the backlog is delivered. */
  signing: { alone: number[]; down: number[]; draining: number[] }
  /** Notifications that waited when the receiver came back. */
  backlog: number
  /** From then until none waits, with those that were added meanwhile. */
  drain: { deliveries: number; seconds: number }
  sent: number
  lost: number
  doubled: number
  /** Change of the bare signature from start to end, as a share of the slower. */
  drift: number
}

const POLL_MS = 100

export function measureWebhooks(plan: WebhooksPlan, say: (line: string) => void): Promise<WebhooksRun> {
  return inOwnDirectory(async (context) => {
    const { directory, interruption } = context
    const parts = await startParts(context, say)
    const { anchors, receiver, caller, sql } = parts
    const window = signingWindow(parts, plan, interruption)
    const windows = async () => {
      const rates: number[] = []
      for (let round = 0; round < plan.rounds; round++) rates.push(await window())
      return rates
    }
    say("warms up")
    await window()
    const drift = await watchDrift(anchors, plan.seconds)
    const alone = await windows()

    say(`the receiver is down until ${plan.backlog} notifications wait`)
    receiver.setDown(true)
    const { organizationId } = parts.target
    const endpointId = await createEndpoint(caller, organizationId, "bench", receiver.url)
    const down = await windows()
    while ((await waiting(sql)) < plan.backlog) await window()
    const backlog = await waiting(sql)

    say(`delivers ${backlog} notifications`)
    receiver.setDown(false)
    const begun = performance.now()
    await redeliverAll(caller, organizationId, endpointId)
    const draining = await windows()
    while ((await waiting(sql)) > 0) {
      interruption.check()
      await pause(POLL_MS)
    }
    const drain = { deliveries: receiver.received.size, seconds: (performance.now() - begun) / 1000 }
    return {
      machine: describeMachine(directory),
      signing: { alone, down, draining },
      backlog,
      drain,
      ...(await counted(sql, receiver)),
      drift: await drift(),
    }
  })
}

/** Starts the service, the load generator and the receiver; the run stops each. */
async function startParts({ directory, stops, started }: RunContext, say: (line: string) => void) {
  const anchors = started(await startChild(new URL("../anchors.ts", import.meta.url)))
  const load = started(await startChild(new URL("../load/main.ts", import.meta.url)))
  const receiver = started(await openReceiver())
  say("starts the service")
  await mkdir(join(directory, "service"), { mode: 0o755 })
  const database = started(await startEmbedded(join(directory, "service", "postgres")))
  const system = started(
    await startSystem({
      directory: join(directory, "service", "system"),
      database,
      wire: "unix",
      localWebhooks: true,
    }),
  )
  const { target } = system
  const sql = connectDatabase({ url: database.url }, { max: 1, statementTimeoutMs: 0 })
  stops.push(() => closeDatabase(sql))
  const caller = new StampingClient(target, target)
  stops.push(() => caller.close())
  return { anchors, load, receiver, target, sql, caller }
}

/** One window of signatures: how many a second. */
function signingWindow(
  { load, target }: Awaited<ReturnType<typeof startParts>>,
  { seconds, connections }: WebhooksPlan,
  interruption: ReturnType<typeof watchInterruption>,
): () => Promise<number> {
  const asked = { series: "webhooks", connections, seconds, warmUpSeconds: seconds / 2 }
  return async () => {
    interruption.check()
    await load.ask({
      ask: "begin",
      target: { ...target, signs: "payload" },
      ...asked,
    } satisfies LoadQuestion)
    return ((await load.ask({ ask: "finish" } satisfies LoadQuestion)) as LoadAnswer).perSecond
  }
}

/** As an operator does once the receiver is back: no pause is waited for. */
function redeliverAll(caller: StampingClient, organizationId: string, endpointId: string) {
  const parameters = { endpointId, deliveryIds: [] }
  return submitted(
    caller,
    "redeliver_webhook_deliveries",
    "REDELIVER_WEBHOOK_DELIVERIES",
    organizationId,
    parameters,
  )
}

async function waiting(sql: Database): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from webhook_deliveries where state in ('WAITING', 'DEFERRED')`
  return row?.count ?? 0
}

/** Deliveries that the database has as sent, and those that the receiver got. */
async function counted(sql: Database, { received }: Receiver) {
  const rows = await sql<{ id: string }[]>`select id from webhook_deliveries`
  const times = [...received.values()].reduce((sum, count) => sum + count, 0)
  const lost = rows.filter(({ id }) => !received.has(id)).length
  return { sent: rows.length, lost, doubled: times - received.size }
}
