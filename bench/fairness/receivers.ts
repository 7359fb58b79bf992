import { setTimeout as pause } from "node:timers/promises"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import type { Target } from "../load/target.ts"
import { StampingClient } from "../suborgs/caller.ts"
import { createEndpoint, deleteEndpoint } from "../webhooks/endpoints.ts"
import { openReceiver } from "../webhooks/receiver.ts"

/** Receivers of a flood's notifications: each answers slowly, or one was down and is up again. */
export type Receivers = "slow" | "after an outage"

/** Endpoints of the organization, and the time that their receiver takes: half of what the worker waits. */
export const SLOW_ENDPOINTS = 16
export const ANSWER_MS = 5_000

/** Endpoints of one organization, until `end`. */
export type Notified = {
  /** Lets the notifications go out. */
  begin(): void
  /** Deletes the endpoints, and returns how many notifications their receiver got. */
  end(): Promise<number>
}

const POLL_MS = 50

type Place = {
  target: Target
  databaseUrl: string
  /** Notifications that wait when the receiver is up again: of as many activities of the history. */
  backlog: number
}

export async function notifyReceivers(receivers: Receivers, place: Place): Promise<Notified> {
  const { target } = place
  const receiver = await openReceiver()
  const caller = new StampingClient(target, target)
  const isSlow = receivers === "slow"
  if (isSlow) receiver.setDelay(ANSWER_MS)
  else receiver.setDown(true)
  const names = Array.from({ length: isSlow ? SLOW_ENDPOINTS : 1 }, (_, index) => String(index))
  const endpoints: string[] = []
  for (const name of names)
    endpoints.push(await createEndpoint(caller, target.organizationId, name, `${receiver.url}${name}`))
  for (const endpointId of isSlow ? [] : endpoints) await queueHistory(place, endpointId)
  return {
    begin: () => receiver.setDown(false),
    async end() {
      // A short window may be over before the first one comes: the endpoint's own creation is one.
      while (receiver.received.size === 0) await pause(POLL_MS)
      for (const endpointId of endpoints) await deleteEndpoint(caller, target.organizationId, endpointId)
      caller.close()
      receiver.stop()
      return receiver.received.size
    },
  }
}

/** Queues notifications of the oldest activities, as the trigger of new ones does. The first attempt is not waited for. */
async function queueHistory(
  { target: { organizationId }, databaseUrl, backlog }: Place,
  endpointId: string,
): Promise<void> {
  const sql = connectDatabase({ url: databaseUrl }, { max: 1, statementTimeoutMs: 0 })
  try {
    const queued = await sql`
      insert into webhook_deliveries
        (organization_id, endpoint_id, source_id, event_type, subject_id, snapshot, created_ms, updated_ms)
      select organization_id, ${endpointId}::uuid, organization_id, 'ACTIVITY_UPDATES', id,
        activity_webhook_snapshot(activities), webhook_now_ms(), webhook_now_ms()
      from activities where organization_id = ${organizationId} order by id limit ${backlog}`
    if (queued.count !== backlog) throw new Error(`${queued.count} of ${backlog} notifications were queued`)
    await sql`update webhook_targets set failures = 0, retry_ms = 0 where endpoint_id = ${endpointId}`
  } finally {
    await closeDatabase(sql)
  }
}
