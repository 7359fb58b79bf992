import {
  type ActivityRow,
  activityColumns,
  packActivity,
  readActivity,
  type StoredActivity,
} from "./activity-row.ts"
import { everySpelling, isFinal, storedStatus, storedType } from "./activity-codes.ts"
import type { Queries, Transaction } from "../../database/database.ts"
import { insertChange } from "./insert-activities.ts"
import { type IdRange, type Page, type Paged, readPage } from "./page.ts"
import { isUuidInAnyCase } from "./uuid.ts"

export { ActivityBatcher } from "./activity-batcher.ts"
export { isFinal } from "./activity-codes.ts"
export { type ActivityRow, readSnapshot } from "./activity-row.ts"
export type { Insertion } from "./insert-batch.ts"

export async function getActivity(
  sql: Queries,
  organizationId: string,
  id: string,
): Promise<ActivityRow | undefined> {
  if (!isUuidInAnyCase(organizationId) || !isUuidInAnyCase(id)) return undefined
  const [row] = await sql<StoredActivity[]>`
    select ${activityColumns(sql)} from activities where organization_id = ${organizationId} and id = ${id}`
  return row && readActivity(row)
}

/** The activity of a body; if there is none, the oldest denial of it. */
export async function getActivityByFingerprint(
  sql: Queries,
  organizationId: string,
  fingerprint: Uint8Array,
): Promise<ActivityRow | undefined> {
  if (!isUuidInAnyCase(organizationId)) return undefined
  const [row] = await sql<StoredActivity[]>`
    select ${activityColumns(sql)} from activities
    where organization_id = ${organizationId} and fingerprint = ${fingerprint}
    order by denied_user_id is not null, id limit 1`
  return row && readActivity(row)
}

type ActivityFilter = {
  organizationId: string
  /** An empty list means all. */
  statuses?: string[]
  /** An empty list means all. */
  types?: string[]
}

/**
 * Newest first: older activities follow `after` a cursor. At most `maxBytes` of text are read, and at least one
 * activity.
 */
export async function listActivities(
  sql: Queries,
  filter: ActivityFilter,
  page: Page,
  maxBytes: number,
): Promise<Paged<ActivityRow>> {
  const { organizationId } = filter
  let isCut = false
  const isKnown = async (id: string) => (await getActivity(sql, organizationId, id)) !== undefined
  const paged = await readPage("descending", page, isKnown, async (window) => {
    if (!isUuidInAnyCase(organizationId)) return []
    const direction = window.ascending ? sql`asc` : sql`desc`
    // The length of a large value is in its row; the value is read only for the rows that are returned.
    const rows = await sql<(StoredActivity & { chosen: number })[]>`
      with chosen as materialized (${chosenIds(sql, filter, window)}), measured as materialized (
        select id, row_number() over reading as place, sum(coalesce(text_length, octet_length(intent) + octet_length(votes) +
          coalesce(octet_length(result), 0) + coalesce(octet_length(app_proofs), 0)) + coalesce(octet_length(failure), 0)
        ) over reading as bytes
        from chosen join activities using (id) where organization_id = ${organizationId}
        window reading as (order by id ${direction})
      )
      select ${activityColumns(sql)}, (select count(*)::int from chosen) as chosen from measured join activities using (id)
      where organization_id = ${organizationId} and (place = 1 or bytes <= ${maxBytes})
      order by id ${direction}`
    return rows.map(({ chosen, ...row }) => {
      isCut = rows.length < chosen
      return readActivity(row)
    })
  })
  return isCut && "rows" in paged ? { ...paged, isCut } : paged
}

/** Ids of one page, before it is bounded in bytes. */
function chosenIds(sql: Queries, filter: ActivityFilter, { above, below, ascending, limit }: IdRange) {
  const { organizationId, statuses = [], types = [] } = filter
  const inOrder = sql`and id > ${above} and id < ${below} order by id ${ascending ? sql`asc` : sql`desc`} limit ${limit}`
  if (statuses.length === 0 && types.length === 0)
    return sql`select id from activities where organization_id = ${organizationId} ${inOrder}`
  // The pairs that occur are found by one look-up each: every next pair is the first one above the last. Then each
  // pair is one range of the index, however many activities have other types and statuses.
  return sql`
    with recursive pairs as (
      (select type, status from activities where organization_id = ${organizationId} order by type, status limit 1)
      union all
      select next.type, next.status from pairs cross join lateral (
        select type, status from activities
        where organization_id = ${organizationId} and (type, status) > (pairs.type, pairs.status)
        order by type, status limit 1
      ) as next
    )
    select found.id from pairs cross join lateral (
      select id from activities
      where organization_id = ${organizationId} and type = pairs.type and status = pairs.status ${inOrder}
    ) as found
    where true
    ${statuses.length > 0 ? sql`and pairs.status = any (${everySpelling(statuses, storedStatus)}::text[])` : sql``}
    ${types.length > 0 ? sql`and pairs.type = any (${everySpelling(types, storedType)}::text[])` : sql``}
    order by found.id ${ascending ? sql`asc` : sql`desc`} limit ${limit}`
}

/** Combines a stored activity with a new outcome. */
export type Merge = (stored: ActivityRow) => ActivityRow

/** `ledgerSequence`: number of the ledger's transaction that changed the organization; absent or 0n: unknown. */
type ChangeOptions = { ledgerSequence?: bigint; merge?: Merge | undefined }

/**
 * Inserts an activity, or replaces the one with its fingerprint by the result of `merge`. Denials of the same body are
 * other rows. The row stays locked until the transaction ends, so concurrent processes cannot overwrite each other. Returns the row as it now
 * stands.
 */
export async function storeActivity(
  tx: Transaction,
  activity: ActivityRow,
  { ledgerSequence = 0n, merge = (stored) => newer(stored, activity) }: ChangeOptions = {},
): Promise<ActivityRow> {
  if (await insertChange(tx, packActivity(activity), ledgerSequence)) return activity
  const [found] = await tx<StoredActivity[]>`
    select ${activityColumns(tx)} from activities
    where organization_id = ${activity.organizationId} and fingerprint = ${activity.fingerprint}
      and denied_user_id is not distinct from ${activity.deniedUserId}
    for update`
  if (!found) throw new Error("an activity was removed while it was being stored")
  const stored = readActivity(found)
  const merged = merge(stored)
  if (merged !== stored) await replaceActivity(tx, merged)
  if (ledgerSequence > 0n)
    await tx`
      update activities set ledger_sequence = greatest(ledger_sequence, ${ledgerSequence})
      where organization_id = ${stored.organizationId} and id = ${stored.id}`
  return merged
}

/** Updates an activity that is not final, unless the stored row is newer. */
function newer(stored: ActivityRow, own: ActivityRow): ActivityRow {
  const { status, result, failure, votes, appProofs, updatedMs } = own
  if (isFinal(stored) || updatedMs < stored.updatedMs) return stored
  return { ...stored, status, result, failure, votes, appProofs, updatedMs }
}

/** Replaces an activity's row. A row of 0.1.0 gets the present form. */
export async function replaceActivity(tx: Transaction, activity: ActivityRow): Promise<ActivityRow> {
  const row = packActivity(activity)
  await tx`
    update activities set type = ${row.type}, status = ${row.status}, user_id = ${row.userId}, intent = null,
      result = ${row.result}, failure = ${row.failure}, votes = null, app_proofs = null,
      contents = decode(${row.contents}, 'hex'), text_length = ${row.textLength}, created_ms = ${row.createdMs},
      updated_ms = ${row.updatedMs}
    where organization_id = ${row.organizationId} and id = ${row.id}`
  return activity
}
