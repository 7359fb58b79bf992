import {
  type ActivityRow,
  activityColumns,
  insertActivities,
  isFinal,
  readActivity,
  type StoredActivity,
} from "./activity-row.ts"
import type { Queries, Transaction } from "./database.ts"
import { type Page, type Paged, readPage } from "./page.ts"
import { isUuid } from "./uuid.ts"

export { ActivityBatcher } from "./activity-batcher.ts"
export { type ActivityRow, isFinal } from "./activity-row.ts"
export type { Insertion } from "./insert-batch.ts"

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

type ActivityFilter = {
  organizationId: string
  /** An empty list means all. */
  statuses?: string[]
  /** An empty list means all. */
  types?: string[]
}

/** Newest first: older activities follow `after` a cursor. */
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

/** Combines a stored activity with a new outcome. */
export type Merge = (stored: ActivityRow) => ActivityRow

/**
 * Inserts an activity, or replaces the one with its fingerprint by the result of `merge`, including its id. The row stays
 * locked until the transaction ends, so concurrent processes cannot overwrite each other. Returns the row as it now
 * stands.
 */
export async function storeActivity(
  tx: Transaction,
  activity: ActivityRow,
  merge: Merge = (stored) => newer(stored, activity),
): Promise<ActivityRow> {
  // No index is named: a concurrent insert of the same activity may conflict on the id before the fingerprint.
  const [inserted] = await tx<StoredActivity[]>`${insertActivities(tx, [activity])}
    on conflict do nothing
    returning ${activityColumns(tx)}`
  if (inserted) return readActivity(inserted)
  const [found] = await tx<StoredActivity[]>`
    select ${activityColumns(tx)} from activities
    where organization_id = ${activity.organizationId} and fingerprint = ${activity.fingerprint}
    for update`
  if (!found) throw new Error("an activity was removed while it was being stored")
  const stored = readActivity(found)
  const merged = merge(stored)
  return merged === stored ? stored : replaceActivity(tx, merged)
}

/** Updates an activity that is not final, unless the stored row is newer. */
function newer(stored: ActivityRow, own: ActivityRow): ActivityRow {
  const { status, result, failure, votes, appProofs, updatedMs } = own
  if (isFinal(stored) || updatedMs < stored.updatedMs) return stored
  return { ...stored, status, result, failure, votes, appProofs, updatedMs }
}

async function replaceActivity(tx: Transaction, row: ActivityRow): Promise<ActivityRow> {
  await tx`
    update activities set id = ${row.id}, type = ${row.type}, status = ${row.status}, user_id = ${row.userId},
      intent = ${row.intent}, result = ${row.result}, failure = ${row.failure}, votes = ${row.votes},
      app_proofs = ${row.appProofs}, created_ms = ${row.createdMs}, updated_ms = ${row.updatedMs}
    where organization_id = ${row.organizationId} and fingerprint = ${row.fingerprint}`
  return row
}
