import type { Database } from "../../database/database.ts"
import {
  type ActivityRow,
  activityColumns,
  readActivity,
  readSnapshot,
  type StoredActivity,
} from "./activity-row.ts"
import { ORGANIZATION_TABLES } from "./tables.ts"
import { LOWEST_UUID } from "./uuid.ts"

/** Rows of one statement: each statement has a bound on its time. */
const REMOVED_AT_ONCE = 1_000

/** Removes the rows of a sub-organization in slices. `organizations` keeps its row: the id stays used. Returns how many activities were removed. */
export async function removeRowsOf(
  sql: Database,
  { organizationId, parentId }: { organizationId: string; parentId: string },
): Promise<number> {
  let activities = 0
  await removeNotificationsAbout(sql, organizationId, parentId)
  for (const table of ORGANIZATION_TABLES) {
    for (let removed = REMOVED_AT_ONCE; removed === REMOVED_AT_ONCE; ) {
      const slice = sql`select ctid from ${sql(table)} where organization_id = ${organizationId} limit ${REMOVED_AT_ONCE}`
      ;({ count: removed } = await sql`delete from ${sql(table)} where ctid = any (array(${slice}))`)
      if (table === "activities") activities += removed
    }
  }
  return activities
}

/** Removes the notifications to the parent's receivers about events of an organization. No index has them: all of the parent are read. */
async function removeNotificationsAbout(
  sql: Database,
  organizationId: string,
  parentId: string,
): Promise<void> {
  for (let after: string | undefined = LOWEST_UUID; after !== undefined; ) {
    const [last]: { id: string }[] = await sql<{ id: string }[]>`
      with page as materialized (
        select id, source_id from webhook_deliveries where organization_id = ${parentId} and id > ${after}
        order by id limit ${REMOVED_AT_ONCE}
      ), gone as (
        delete from webhook_deliveries using page where webhook_deliveries.organization_id = ${parentId}
          and webhook_deliveries.id = page.id and page.source_id = ${organizationId}
      )
      select id from page order by id desc limit 1`
    after = last?.id
  }
}

/** True if the worker still follows a transaction of the organization. */
export async function hasOpenSend(sql: Database, organizationId: string): Promise<boolean> {
  const [row] = await sql`
    select from sends where organization_id = ${organizationId} and status in ('INITIALIZED', 'BROADCASTING') limit 1`
  return row !== undefined
}

/** Activities that one page has. */
const PAGE = 100

/** All activities of an organization, page by page in the order of their ids. */
export async function* activitiesOf(sql: Database, organizationId: string): AsyncGenerator<ActivityRow[]> {
  for (let after: string | undefined = LOWEST_UUID; after !== undefined; ) {
    const stored: StoredActivity[] = await sql<StoredActivity[]>`
      select ${activityColumns(sql)} from activities where organization_id = ${organizationId} and id > ${after}
      order by id limit ${PAGE}`
    yield stored.map(readActivity)
    after = stored.at(-1)?.id
  }
}

/** Removes the notifications to an organization's receivers that have such contents, page by page in the order of their ids. */
export async function removeNotifications(
  sql: Database,
  organizationId: string,
  isRemoved: (contents: unknown) => boolean,
): Promise<void> {
  for (let after: string | undefined = LOWEST_UUID; after !== undefined; ) {
    const page: Notification[] = await sql<Notification[]>`
      select id, event_type as "eventType", body, snapshot::text as snapshot from webhook_deliveries
      where organization_id = ${organizationId} and id > ${after} order by id limit ${PAGE}`
    const removed = page.filter((one) => isRemoved(contentsOf(one))).map(({ id }) => id)
    await sql`
      delete from webhook_deliveries where organization_id = ${organizationId} and id = any (${removed}::uuid[])`
    after = page.at(-1)?.id
  }
}

type Notification = { id: string; eventType: string; body: string | null; snapshot: string | null }

/** The snapshot of an activity is packed. */
function contentsOf({ eventType, body, snapshot }: Notification): unknown {
  return [body, snapshot !== null && eventType === "ACTIVITY_UPDATES" ? readSnapshot(snapshot) : snapshot]
}

/**
 * Replaces erasures before a time by one row for each parent, with the parent's id and the sums of their counts. Parents are
 * top-level organizations, which are never erased.
 */
export async function sumOldErasures(sql: Database, beforeMs: number): Promise<void> {
  for (let summed = REMOVED_AT_ONCE; summed === REMOVED_AT_ONCE; ) {
    const [row] = await sql<{ summed: number }[]>`
      with old as (
        delete from erasures where organization_id = any (array(
          select organization_id from erasures where erased_ms < ${beforeMs} and organization_id <> parent_id
          limit ${REMOVED_AT_ONCE}))
        returning *
      ), sums as (
        insert into erasures as known (organization_id, parent_id, own_activities, parent_activities, erased_ms)
        select parent_id, parent_id, sum(own_activities), sum(parent_activities), max(erased_ms) from old group by parent_id
        on conflict (organization_id) do update set own_activities = known.own_activities + excluded.own_activities,
          parent_activities = known.parent_activities + excluded.parent_activities,
          erased_ms = greatest(known.erased_ms, excluded.erased_ms)
      )
      select count(*)::int as summed from old`
    summed = row?.summed ?? 0
  }
}

type Erasure = { organizationId: string; parentId: string; ownActivities: number; parentActivities: number }

/** Records an erasure, or adds to it. */
export async function recordErasure(sql: Database, erasure: Erasure, nowMs: number): Promise<void> {
  const { organizationId, parentId, ownActivities, parentActivities } = erasure
  await sql`
    insert into erasures as known (organization_id, parent_id, own_activities, parent_activities, erased_ms)
    values (${organizationId}, ${parentId}, ${ownActivities}, ${parentActivities}, ${nowMs})
    on conflict (organization_id) do update set own_activities = known.own_activities + excluded.own_activities,
      parent_activities = known.parent_activities + excluded.parent_activities, erased_ms = excluded.erased_ms`
}
