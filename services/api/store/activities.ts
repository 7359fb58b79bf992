import {
  type ActivityRow,
  activityColumns,
  FINAL_STATUSES,
  insertActivities,
  readActivity,
  type StoredActivity,
} from "./activity-row.ts"
import type { Queries } from "./database.ts"
import { type Page, type Paged, readPage } from "./page.ts"
import { isUuid } from "./uuid.ts"

export { ActivityBatcher, type Insertion } from "./activity-batcher.ts"
export { type ActivityRow, FINAL_STATUSES } from "./activity-row.ts"

export async function getActivity(
  sql: Queries,
  organizationId: string,
  id: string,
): Promise<ActivityRow | undefined> {
  if (!isUuid(organizationId) || !isUuid(id)) return undefined
  const [row] = await sql<StoredActivity[]>`
    select ${activityColumns(sql)} from activities where organization_id = ${organizationId} and id = ${id}`
  return row && readActivity(row)
}

export async function getActivityByFingerprint(
  sql: Queries,
  organizationId: string,
  fingerprint: Uint8Array,
): Promise<ActivityRow | undefined> {
  if (!isUuid(organizationId)) return undefined
  const [row] = await sql<StoredActivity[]>`
    select ${activityColumns(sql)} from activities
    where organization_id = ${organizationId} and fingerprint = ${fingerprint}`
  return row && readActivity(row)
}

export type ActivityFilter = {
  organizationId: string
  /** Empty: all. */
  statuses?: string[]
  /** Empty: all. */
  types?: string[]
}

/** Newest first: `after` a cursor come the older ones. */
export async function listActivities(
  sql: Queries,
  { organizationId, statuses = [], types = [] }: ActivityFilter,
  page: Page,
): Promise<Paged<ActivityRow>> {
  const isKnown = async (id: string) => (await getActivity(sql, organizationId, id)) !== undefined
  return readPage("descending", page, isKnown, async ({ above, below, ascending, limit }) => {
    if (!isUuid(organizationId)) return []
    const rows = await sql<StoredActivity[]>`
      select ${activityColumns(sql)} from activities
      where organization_id = ${organizationId} and id > ${above} and id < ${below}
      ${statuses.length > 0 ? sql`and status in ${sql(statuses)}` : sql``}
      ${types.length > 0 ? sql`and type in ${sql(types)}` : sql``}
      order by id ${ascending ? sql`asc` : sql`desc`} limit ${limit}`
    return rows.map(readActivity)
  })
}

export type ActivityUpdate = Pick<
  ActivityRow,
  "organizationId" | "id" | "status" | "result" | "failure" | "votes" | "updatedMs"
>

/**
 * Moves an activity that is not final. An update older than what is stored changes nothing, whichever process
 * it comes from. Returns the row as it now stands; undefined when there is none.
 */
export async function updateActivity(sql: Queries, update: ActivityUpdate): Promise<ActivityRow | undefined> {
  const { organizationId, id, status, result, failure, votes, updatedMs } = update
  const [row] = await sql<StoredActivity[]>`
    update activities
    set status = ${status}, result = ${result}, failure = ${failure}, votes = ${votes}, updated_ms = ${updatedMs}
    where organization_id = ${organizationId} and id = ${id}
      and status not in ${sql(FINAL_STATUSES)} and updated_ms <= ${updatedMs}
    returning ${activityColumns(sql)}`
  return row ? readActivity(row) : getActivity(sql, organizationId, id)
}

/**
 * Inserts an activity, or moves the one with its fingerprint by the rules of `updateActivity`; that one keeps
 * its id. Returns the row as it now stands.
 */
export async function upsertActivity(sql: Queries, activity: ActivityRow): Promise<ActivityRow> {
  const [row] = await sql<StoredActivity[]>`${insertActivities(sql, [activity])}
    on conflict (organization_id, fingerprint) do update set status = excluded.status, result = excluded.result,
      failure = excluded.failure, votes = excluded.votes, updated_ms = excluded.updated_ms
    where activities.status not in ${sql(FINAL_STATUSES)} and activities.updated_ms <= excluded.updated_ms
    returning ${activityColumns(sql)}`
  if (row) return readActivity(row)
  const found = await getActivityByFingerprint(sql, activity.organizationId, activity.fingerprint)
  if (!found) throw new Error("an activity was removed while it was being stored")
  return found
}
