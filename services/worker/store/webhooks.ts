import type { Database, Queries } from "../../database/database.ts"
import type { LeasedTarget } from "./webhook-leases.ts"

/** A signed notification. */
export type Delivery = {
  id: string
  organizationId: string
  endpointId: string
  sourceId: string
  eventType: string
  body: string
  attempts: number
  /** Beginning of its lifetime: the event, or the latest request to send it again. */
  queuedMs: number
  /** Time of the first attempt of this lifetime; null: there was none. */
  triedMs: number | null
  timestampMs: bigint
  keyId: string
  signature: Uint8Array
}

/** Result of one attempt, and what becomes of the notification. */
export type Attempt = AttemptEnd & { startedMs: number; durationMs: number }

export type AttemptEnd = {
  id: string
  state: "WAITING" | "DEFERRED" | "DELIVERED" | "DEAD"
  retryMs: number
  httpStatus: number | null
  fault: string | null
}

/** Older signatures are renewed: receivers refuse them after some minutes. */
export const FRESH = "60 seconds"

/** Notifications signed ahead of those that are sent. */
const AHEAD = 512

/**
 * The oldest notifications of a target whose signatures are fresh; it ends before one that is not signed yet. Has the
 * next ones signed.
 */
export async function nextDeliveries(
  sql: Database,
  { organizationId, endpointId }: LeasedTarget,
  { limit, maxBytes }: { limit: number; maxBytes: number },
): Promise<{ deliveries: Delivery[]; isWaiting: boolean }> {
  const waiting = sql`
    organization_id = ${organizationId} and endpoint_id = ${endpointId} and state = 'WAITING'`
  await sql`
    update webhook_deliveries set unsigned = true
    where not unsigned and (signed_at is null or signed_at < now() - ${FRESH}::interval)
      and id in (select id from webhook_deliveries where ${waiting} order by sequence limit ${AHEAD})`
  const rows = await sql<(StoredDelivery & { isFresh: boolean })[]>`
    with oldest as (
      select *, sum(octet_length(body)) over (order by sequence) as bytes, row_number() over (order by sequence) as place
      from (select * from webhook_deliveries where ${waiting} order by sequence limit ${limit}) as first
    )
    select ${columns(sql, "oldest")}, not unsigned and body is not null as "isFresh" from oldest
    where place = 1 or bytes <= ${maxBytes} order by sequence`
  const end = rows.findIndex(({ isFresh }) => !isFresh)
  const fresh = end === -1 ? rows : rows.slice(0, end)
  return { deliveries: fresh.map(readDelivery), isWaiting: rows.length > 0 }
}

/** Writes the results of attempts. Deliveries that were removed or sent again meanwhile stay as they are. */
export async function storeAttempts(
  sql: Queries,
  attempts: readonly Attempt[],
  nowMs: number,
): Promise<void> {
  if (attempts.length === 0) return
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(attempts)}::text::jsonb) as given (id uuid, state text,
        "retryMs" bigint, "httpStatus" integer, fault text, "startedMs" bigint, "durationMs" integer)
    ), changed as (
      update webhook_deliveries set state = given.state, attempts = attempts + 1, retry_ms = given."retryMs",
        http_status = given."httpStatus", fault = given.fault, updated_ms = ${nowMs},
        deferred_family_id = case given.state when 'DEFERRED' then (
          select family_id from webhook_targets t where t.organization_id = webhook_deliveries.organization_id
            and t.endpoint_id = webhook_deliveries.endpoint_id) end
      from given
      where webhook_deliveries.id = given.id and webhook_deliveries.state in ('WAITING', 'DEFERRED')
      returning webhook_deliveries.organization_id, webhook_deliveries.id
    )
    insert into webhook_attempts (organization_id, delivery_id, started_ms, duration_ms, http_status, fault)
    select organization_id, id, "startedMs", "durationMs", "httpStatus", fault from changed join given using (id)`
}

/** Notifications of each state that one call deletes. Each takes its attempts with it: up to about nine hundred in three days. */
const DELETED_AT_ONCE = 500

/** Deletes what ended long ago, the oldest first. @returns true if more of it may be left */
export async function deleteEnded(
  sql: Database,
  { deliveredBeforeMs, deadBeforeMs }: { deliveredBeforeMs: number; deadBeforeMs: number },
): Promise<boolean> {
  const counts = [
    await deleteOldest(sql, "DELIVERED", deliveredBeforeMs),
    await deleteOldest(sql, "DEAD", deadBeforeMs),
  ]
  return counts.includes(DELETED_AT_ONCE)
}

async function deleteOldest(sql: Database, state: "DELIVERED" | "DEAD", beforeMs: number): Promise<number> {
  const { count } = await sql`
    delete from webhook_deliveries where ctid = any (array(
      select ctid from webhook_deliveries
      where state = ${state} and state in ('DELIVERED', 'DEAD') and updated_ms < ${beforeMs}
      order by updated_ms limit ${DELETED_AT_ONCE}))`
  return count
}

export type StoredDelivery = Omit<Delivery, "queuedMs" | "triedMs"> & {
  queuedMs: bigint
  triedMs: bigint | null
}

/** Select list of a `StoredDelivery`. `name`: the table's name in the statement. */
export function columns(sql: Queries, name: "oldest" | "webhook_deliveries") {
  return sql`${sql(name)}.id as id, ${sql(name)}.organization_id as "organizationId", endpoint_id as "endpointId",
    source_id as "sourceId", event_type as "eventType", body, attempts,
    coalesce(queued_ms, created_ms) as "queuedMs", case when attempts > 0 then (
      select started_ms from webhook_attempts as attempt where attempt.organization_id = ${sql(name)}.organization_id
        and attempt.delivery_id = ${sql(name)}.id and started_ms >= coalesce(queued_ms, created_ms)
      order by sequence limit 1) end as "triedMs",
    timestamp_ms as "timestampMs", key_id as "keyId", signature`
}

export function readDelivery({ queuedMs, triedMs, ...row }: StoredDelivery): Delivery {
  return { ...row, queuedMs: Number(queuedMs), triedMs: triedMs === null ? null : Number(triedMs) }
}
