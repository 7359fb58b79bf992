import {
  type ActivityRow,
  activityColumns,
  hex,
  type PackedActivity,
  readActivity,
  type StoredActivity,
} from "./activity-row.ts"
import type { Database } from "../../database/database.ts"
import { insertActivities } from "./insert-activities.ts"

/** 'inserted', or the stored row of this body: the activity, or the denial of the same user. */
export type Insertion = "inserted" | ActivityRow

/** Runs one statement, and a second one only if fingerprints were taken. Returns the result of each row. */
export async function insertBatch(
  sql: Database,
  rows: readonly PackedActivity[],
): Promise<(row: PackedActivity) => Insertion> {
  const { count } = await insertActivities(sql, rows, "ofBody")
  if (count === rows.length) return () => "inserted"
  // For equal fingerprints in one batch, one row is inserted and the look-up returns it for the others.
  const stored = await findByFingerprint(sql, rows)
  return (row) => insertionOf(row, stored.get(keyOf(row)))
}

function insertionOf(row: PackedActivity, found: ActivityRow | undefined): Insertion {
  if (!found) throw new Error("an activity was removed while it was being inserted")
  return found.id === row.id.toLowerCase() ? "inserted" : found
}

async function findByFingerprint(sql: Database, keys: readonly Key[]): Promise<Map<string, ActivityRow>> {
  const wanted = keys.map(({ organizationId, fingerprint, deniedUserId }) => ({
    organizationId,
    fingerprint,
    deniedUserId,
  }))
  const rows = await sql<StoredActivity[]>`
    select ${activityColumns(sql)} from activities
    join jsonb_to_recordset(${JSON.stringify(wanted)}::text::jsonb) 
      as given ("organizationId" uuid, fingerprint text, "deniedUserId" uuid)
      on activities.organization_id = given."organizationId"
      and activities.fingerprint = decode(given.fingerprint, 'hex')
      and activities.denied_user_id is not distinct from given."deniedUserId"`
  return new Map(rows.map((row) => [keyOf({ ...row, fingerprint: hex(row.fingerprint) }), readActivity(row)]))
}

type Key = Pick<PackedActivity, "organizationId" | "fingerprint" | "deniedUserId">

function keyOf({ organizationId, fingerprint, deniedUserId }: Key): string {
  return `${organizationId}/${fingerprint}/${deniedUserId ?? ""}`.toLowerCase()
}
