import type { Database, Queries } from "../../database/database.ts"
import type { Target } from "./webhook-leases.ts"

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
  timestampMs: bigint
  keyId: string
  signature: Uint8Array
}

/** Result of one attempt, and what becomes of the notification. */
export type Attempt = AttemptEnd & { startedMs: number; durationMs: number }

export type AttemptEnd = {
  id: string
  state: "WAITING" | "ASIDE" | "DELIVERED" | "DEAD"
  retryMs: number
  httpStatus: number | null
  fault: string | null
}

/** Older signatures are renewed: receivers refuse them after some minutes. */
const FRESH = "60 seconds"

/** Notifications signed ahead of those that are sent. */
const AHEAD = 512

/**
 * The oldest notifications of a target whose signatures are fresh; it ends before one that is not signed yet. Has the
 * next ones signed.
 */
export async function nextDeliveries(
  sql: Database,
  { organizationId, endpointId }: Target,
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
    select ${columns(sql)}, not unsigned and body is not null as "isFresh" from oldest
    where place = 1 or bytes <= ${maxBytes} order by sequence`
  const end = rows.findIndex(({ isFresh }) => !isFresh)
  const fresh = end === -1 ? rows : rows.slice(0, end)
  return { deliveries: fresh.map(readDelivery), isWaiting: rows.length > 0 }
}

/** A notification that stands aside. `familyId`: the top-level organization of its target. */
export type AsideDelivery = Delivery & { url: string; familyId: string }

/**
 * Notifications that stand aside and are due, at most `familyLimit` of a top-level organization with the `busy` ones. Those
 * without a fresh signature get one, and are returned later.
 */
export async function asideDeliveries(
  sql: Database,
  options: { limit: number; familyLimit: number; busy: readonly string[]; leaseMs: number; nowMs: number },
): Promise<AsideDelivery[]> {
  const { limit, familyLimit, busy, leaseMs, nowMs } = options
  await sql`
    update webhook_deliveries set unsigned = true
    where not unsigned and state = 'ASIDE' and retry_ms <= ${nowMs} and signed_at < now() - ${FRESH}::interval`
  const rows = await sql<(StoredDelivery & { url: string; familyId: string })[]>`
    with due as materialized (
      select d.id, t.url, d.retry_ms, coalesce(o.parent_id, t.organization_id) as family_id
      from webhook_deliveries d join webhook_targets t using (organization_id, endpoint_id)
      left join organizations o on o.id = t.organization_id
      where d.state = 'ASIDE' and d.retry_ms <= ${nowMs} and not d.unsigned and t.events <> 0
    ), placed as (
      select *, row_number() over (partition by family_id order by retry_ms, id)
        + (select count(*) from unnest(${[...busy]}::uuid[]) as busy (id) where busy.id = family_id) as place
      from due
    ), taken as (
      select d.id, placed.url, placed.family_id from placed join webhook_deliveries d using (id)
      where place <= ${familyLimit} and d.state = 'ASIDE' and d.retry_ms <= ${nowMs}
      order by placed.retry_ms limit ${limit} for update of d skip locked
    )
    update webhook_deliveries set retry_ms = ${nowMs + leaseMs} from taken where webhook_deliveries.id = taken.id
    returning ${columns(sql, "webhook_deliveries.id")}, taken.url, taken.family_id as "familyId"`
  return rows.map((row) => ({ ...readDelivery(row), url: row.url, familyId: row.familyId }))
}

/** Writes the results of attempts. What was removed or sent again meanwhile stays as it is. */
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
        http_status = given."httpStatus", fault = given.fault, updated_ms = ${nowMs}
      from given
      where webhook_deliveries.id = given.id and webhook_deliveries.state in ('WAITING', 'ASIDE')
      returning webhook_deliveries.organization_id, webhook_deliveries.id
    )
    insert into webhook_attempts (organization_id, delivery_id, started_ms, duration_ms, http_status, fault)
    select organization_id, id, "startedMs", "durationMs", "httpStatus", fault from changed join given using (id)`
}

/** Deletes what ended long ago. */
export async function deleteEnded(
  sql: Database,
  { deliveredBeforeMs, deadBeforeMs }: { deliveredBeforeMs: number; deadBeforeMs: number },
): Promise<void> {
  await sql`
    delete from webhook_deliveries
    where state = 'DELIVERED' and updated_ms < ${deliveredBeforeMs} or state = 'DEAD' and updated_ms < ${deadBeforeMs}`
}

type StoredDelivery = Omit<Delivery, "queuedMs"> & { queuedMs: bigint }

function columns(sql: Queries, id = "id") {
  return sql`${sql(id)} as id, organization_id as "organizationId", endpoint_id as "endpointId",
    source_id as "sourceId", event_type as "eventType", body, attempts,
    coalesce(queued_ms, created_ms) as "queuedMs",
    timestamp_ms as "timestampMs", key_id as "keyId", signature`
}

function readDelivery({ queuedMs, ...row }: StoredDelivery): Delivery {
  return { ...row, queuedMs: Number(queuedMs) }
}
