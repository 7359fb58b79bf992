import type { Queries } from "./database.ts"

/** An activity as it is stored. The JSON texts are opaque here. */
export type ActivityRow = {
  organizationId: string
  /** UUIDv7. */
  id: string
  /** SHA-256, 32 bytes. */
  fingerprint: Uint8Array
  type: string
  status: string
  userId: string
  /** JSON. */
  intent: string
  /** JSON; null until completed. */
  result: string | null
  /** JSON; null unless failed. */
  failure: string | null
  /** JSON: a list. */
  votes: string
  createdMs: number
  updatedMs: number
}

/** An activity in one of these never changes again. */
export const FINAL_STATUSES = [
  "ACTIVITY_STATUS_COMPLETED",
  "ACTIVITY_STATUS_FAILED",
  "ACTIVITY_STATUS_REJECTED",
]

/** Select list that yields `StoredActivity`. */
export function activityColumns(sql: Queries) {
  return sql`activities.organization_id as "organizationId", activities.id, activities.fingerprint,
    activities.type, activities.status, activities.user_id as "userId", activities.intent, activities.result,
    activities.failure, activities.votes, activities.created_ms as "createdMs", activities.updated_ms as "updatedMs"`
}

/** What the driver gives: times are bigint columns. */
export type StoredActivity = Omit<ActivityRow, "createdMs" | "updatedMs"> & {
  createdMs: bigint
  updatedMs: bigint
}

export function readActivity(row: StoredActivity): ActivityRow {
  return { ...row, createdMs: Number(row.createdMs), updatedMs: Number(row.updatedMs) }
}

/** Rows as one JSON parameter; fingerprints in hexadecimal, for JSON has no bytes. */
export function encodeActivities(rows: ActivityRow[]): string {
  return JSON.stringify(rows.map((row) => ({ ...row, fingerprint: hex(row.fingerprint) })))
}

/** `insert into activities … select` from the parameter that `encodeActivities` makes, without its conflict rule. */
export function insertActivities(sql: Queries, rows: ActivityRow[]) {
  // Sorted, so that two processes that insert the same fingerprints wait for each other in one order.
  return sql`
    insert into activities (organization_id, id, fingerprint, type, status, user_id, intent, result, failure, votes,
      created_ms, updated_ms)
    select "organizationId", id, decode(fingerprint, 'hex'), type, status, "userId", intent, result, failure, votes,
      "createdMs", "updatedMs"
    from jsonb_to_recordset(${encodeActivities(rows)}::text::jsonb) as given ("organizationId" uuid, id uuid,
      fingerprint text, type text, status text, "userId" uuid, intent text, result text, failure text, votes text,
      "createdMs" bigint, "updatedMs" bigint)
    order by 1, 3, 2`
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")
}
