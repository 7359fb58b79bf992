import type { Database } from "../../database/database.ts"
import { type ActivityRow, activityColumns, readActivity, type StoredActivity } from "./activity-row.ts"
import { LOWEST_UUID } from "./uuid.ts"

/** An activity's primary key, and its latest change: a row that changed since is another one. */
export type ActivityKey = { organizationId: string; id: string; updatedMs: number }

/** Position in all activities: organizations by id, each one's activities by id. */
export type ActivityPosition = { organizationId: string; id: string }

export const BEGINNING: ActivityPosition = { organizationId: LOWEST_UUID, id: LOWEST_UUID }

/** A signed transaction of an activity, as it is exported. */
export type OldSend = {
  id: string
  activityId: string
  caip2: string
  account: string
  nonce: string
  raw: Uint8Array
  hash: string
  status: string
  /** JSON. */
  failure: string | null
}

export type OldActivities = { rows: ActivityRow[]; sends: OldSend[]; next: ActivityPosition | undefined }

/** Activities and characters that one page has at most; at least one activity. */
const PAGE = 500
const MAX_CHARACTERS = 4 * 1024 * 1024

/**
 * A page of final activities that have not changed since `beforeMs`, with their transactions. Activities with a pending
 * transaction are left out. Ids are UUIDv7, so the query never reads newer activities.
 *
 * @returns `next`: where the following page begins; undefined after the last one
 */
export async function readOldActivities(
  sql: Database,
  beforeMs: number,
  { organizationId, id }: ActivityPosition,
): Promise<OldActivities> {
  const highest = highestIdBefore(beforeMs)
  const stored = await sql<(StoredActivity & { isLast: boolean })[]>`
    with page as materialized (
      select id, ${sql.unsafe(LENGTH)} as characters, row_number() over reading as place from activities
      where organization_id = ${organizationId} and id > ${id} and id <= ${highest} and ${isOld(sql, beforeMs)}
      window reading as (order by id) order by id limit ${PAGE}
    ), measured as (
      select id, place, sum(characters) over (order by id) as total from page
    )
    select ${activityColumns(sql)}, (select max(place) from page) = place and place < ${PAGE} as "isLast"
    from measured join activities using (id)
    where organization_id = ${organizationId} and (place = 1 or total <= ${MAX_CHARACTERS}) order by id`
  const rows = stored.map(({ isLast: _isLast, ...row }) => readActivity(row))
  const last = stored.at(-1)
  const isMore = last !== undefined && !last.isLast
  const next = isMore ? { organizationId, id: last.id } : await nextOrganization(sql, organizationId)
  return { rows, sends: await sendsOf(sql, organizationId, rows), next }
}

/** Length of the texts of a row; of a row of 0.1.0, of its columns. */
const LENGTH = `coalesce(text_length, octet_length(intent) + octet_length(votes) + coalesce(octet_length(result), 0)
  + coalesce(octet_length(app_proofs), 0)) + coalesce(octet_length(failure), 0)`

/** Final for so long, and without a transaction that the worker may still change. */
function isOld(sql: Database, beforeMs: number) {
  return sql`updated_ms < ${beforeMs}
    and status not in ('ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED')
    and not exists (
      select from sends where sends.organization_id = activities.organization_id and sends.activity_id = activities.id
        and (sends.status in ('INITIALIZED', 'BROADCASTING') or sends.unsettled)
    )`
}

/** The beginning of the organization that follows, with one look-up of the index. */
async function nextOrganization(
  sql: Database,
  organizationId: string,
): Promise<ActivityPosition | undefined> {
  const [row] = await sql<{ organizationId: string }[]>`
    select organization_id as "organizationId" from activities where organization_id > ${organizationId}
    order by organization_id limit 1`
  return row && { organizationId: row.organizationId, id: LOWEST_UUID }
}

async function sendsOf(
  sql: Database,
  organizationId: string,
  rows: readonly ActivityRow[],
): Promise<OldSend[]> {
  if (rows.length === 0) return []
  return sql<OldSend[]>`
    select id, activity_id as "activityId", caip2, account, nonce::text as nonce, raw, hash, status, failure from sends
    where organization_id = ${organizationId} and activity_id = any (${rows.map(({ id }) => id)}::uuid[]) order by id`
}

/** The highest UUIDv7 of the millisecond before (RFC 9562 §5.7). */
function highestIdBefore(ms: number): string {
  const time = Math.max(ms - 1, 0)
    .toString(16)
    .padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-ffff-ffff-ffffffffffff`
}

/** Removes activities that have not changed since, with their transactions. Returns how many activities. */
export async function removeActivities(sql: Database, keys: readonly ActivityKey[]): Promise<number> {
  const [removed] = await sql<{ count: number }[]>`
    with gone as (
      delete from activities using unnest(
        ${keys.map(({ organizationId }) => organizationId)}::uuid[],
        ${keys.map(({ id }) => id)}::uuid[],
        ${keys.map(({ updatedMs }) => String(updatedMs))}::bigint[]
      ) as given (organization, activity, updated)
      where organization_id = organization and id = activity and updated_ms = updated
      returning organization_id, id
    ), unsent as (
      delete from sends using gone
      where sends.organization_id = gone.organization_id and sends.activity_id = gone.id
    )
    select count(*)::int as count from gone`
  return removed?.count ?? 0
}

export type Forecast = { activities: number; characters: number }

/** Counts what `readOldActivities` would return of one organization. `next`: the organization that follows. */
export async function countOldActivities(
  sql: Database,
  beforeMs: number,
  { organizationId }: ActivityPosition,
): Promise<Forecast & { next: ActivityPosition | undefined }> {
  const [row] = await sql<{ activities: number; characters: bigint | null }[]>`
    select count(*)::int as activities, sum(${sql.unsafe(LENGTH)})::bigint as characters from activities
    where organization_id = ${organizationId} and id <= ${highestIdBefore(beforeMs)} and ${isOld(sql, beforeMs)}`
  const next = await nextOrganization(sql, organizationId)
  return { activities: row?.activities ?? 0, characters: Number(row?.characters ?? 0), next }
}
