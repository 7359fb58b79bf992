import type { Database } from "../../database/database.ts"
import { columns, type Delivery, FRESH, readDelivery, type StoredDelivery } from "./webhooks.ts"

/** A deferred notification: its receiver keeps failing. `topLevelId`: the top-level organization of its target. */
export type DeferredDelivery = Delivery & { url: string; topLevelId: string }

type DeferredOptions = {
  limit: number
  topLevelLimit: number
  /** Top-level organizations of the notifications that are being sent. */
  busy: readonly string[]
  leaseMs: number
  nowMs: number
  /** The top-level organization after which this poll begins; absent: with the first one. */
  after?: string | undefined
}

/** Every organization's id is above it. */
const LOWEST = "00000000-0000-0000-0000-000000000000"

/**
 * Most notifications of one poll. The statement has it as a constant, because the planner knows no parameter. It would expect a
 * tenth of all deferred notifications, and read whole tables for them.
 */
const MAX_TAKEN = 64

/** Top-level organizations that one poll visits. */
const MAX_TOP_LEVELS = 64

/** Time after which a notification of a paused target is polled again. */
const PAUSED_MS = 60 * 1000

/**
 * Due deferred notifications; at most `topLevelLimit` for each top-level organization, `busy` included. Notifications without a
 * fresh signature are queued for one (`hasUnsigned`), and returned by a later poll. Organizations take turns, so the cost does not grow with
 * the backlog. The next poll begins after the organization `last`, or with the first one if `last` is undefined.
 */
export async function deferredDeliveries(
  sql: Database,
  { limit, topLevelLimit, busy, leaseMs, nowMs, after }: DeferredOptions,
): Promise<{ deliveries: DeferredDelivery[]; last: string | undefined; hasUnsigned: boolean }> {
  const topLevels = await deferredTopLevels(sql, after)
  const last = topLevels.length < MAX_TOP_LEVELS ? undefined : topLevels.at(-1)
  if (topLevels.length === 0) return { deliveries: [], last, hasUnsigned: false }
  const isStale = sql`d.signed_at is null or d.signed_at < now() - ${FRESH}::interval`
  const rows = await sql<
    (StoredDelivery & { url: string; topLevelId: string; isReady: boolean; unsigned: boolean })[]
  >`
    with due as materialized (
      select next.*, family_id from unnest(${topLevels}::uuid[]) as top_level (family_id) cross join lateral (
        select id, retry_ms from webhook_deliveries
        where state = 'DEFERRED' and not unsigned and deferred_family_id = top_level.family_id and retry_ms <= ${nowMs}
        order by retry_ms, id limit greatest(0, ${topLevelLimit} - (
          select count(*) from unnest(${[...busy]}::uuid[]) as busy (id) where busy.id = top_level.family_id))
        for update skip locked
      ) next
    ), taken as materialized (
      select id from (
        select id from (
          select id, retry_ms, row_number() over (partition by family_id order by retry_ms, id) as place from due) as placed
        order by place, retry_ms limit ${limit}
      ) as chosen limit ${sql.unsafe(String(MAX_TAKEN))}
    ), ready as materialized (
      select d.id, t.url, t.family_id, coalesce(t.events, 0) = 0 as is_paused, ${isStale} as is_stale
      from taken join webhook_deliveries d using (id) left join webhook_targets t using (organization_id, endpoint_id)
    )
    update webhook_deliveries set unsigned = is_stale and not is_paused, retry_ms =
      case when is_paused then ${nowMs + PAUSED_MS} when is_stale then retry_ms else ${nowMs + leaseMs} end
    from ready where webhook_deliveries.id = ready.id
    returning ${columns(sql, "webhook_deliveries")}, ready.url, ready.family_id as "topLevelId",
      not is_paused and not is_stale as "isReady", webhook_deliveries.unsigned`
  const deliveries = rows
    .filter(({ isReady }) => isReady)
    .map((row) => ({ ...readDelivery(row), url: row.url, topLevelId: row.topLevelId }))
  return { deliveries, last, hasUnsigned: rows.some(({ unsigned }) => unsigned) }
}

/** The next top-level organizations with deferred notifications: one probe of an index for each. */
async function deferredTopLevels(sql: Database, after = LOWEST): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with recursive top_level (id) as (
      select ${after}::uuid
      union all
      select (
        select deferred_family_id from webhook_deliveries
        where state = 'DEFERRED' and not unsigned and deferred_family_id > top_level.id order by deferred_family_id limit 1
      ) from top_level where top_level.id is not null
    )
    select id from top_level where id is not null offset 1 limit ${MAX_TOP_LEVELS}`
  return rows.map(({ id }) => id)
}
