import type { Queries } from "../../database/database.ts"

/** An activity as it is stored. JSON texts are not parsed in this room. */
export type ActivityRow = {
  organizationId: string
  /** UUIDv7. */
  id: string
  /** SHA-256, 32 bytes. */
  fingerprint: Uint8Array
  type: string
  status: string
  userId: string
  /** The same user's id, for a denial; null: it was not denied. A body has one activity, and one denial for each user. */
  deniedUserId: string | null
  /** JSON. */
  intent: string
  /** JSON; null until completed. */
  result: string | null
  /** JSON; null unless failed. */
  failure: string | null
  /** JSON: a list. */
  votes: string
  /** JSON: a list; null unless the request asked for proofs. */
  appProofs: string | null
  createdMs: number
  updatedMs: number
}

const FINAL_STATUSES = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_FAILED", "ACTIVITY_STATUS_REJECTED"]

/** True if an activity never changes its status again. */
export function isFinal({ status }: Pick<ActivityRow, "status">): boolean {
  return FINAL_STATUSES.includes(status)
}

/** Select list of a `StoredActivity`. */
export function activityColumns(sql: Queries) {
  return sql`activities.organization_id as "organizationId", activities.id, activities.fingerprint,
    activities.type, activities.status, activities.user_id as "userId",
    activities.denied_user_id as "deniedUserId", activities.intent, activities.result, activities.failure,
    activities.votes, activities.app_proofs as "appProofs", activities.created_ms as "createdMs",
    activities.updated_ms as "updatedMs"`
}

/** A row as the driver returns it: times are bigint columns. */
export type StoredActivity = Omit<ActivityRow, "createdMs" | "updatedMs"> & {
  createdMs: bigint
  updatedMs: bigint
}

export function readActivity(row: StoredActivity): ActivityRow {
  return { ...row, createdMs: Number(row.createdMs), updatedMs: Number(row.updatedMs) }
}

/** Separator of the values of a column. JSON escapes control characters, so no value contains it. */
const SEPARATOR = "\u001f"

/** Null: nullable columns never contain empty text. */
const NULL = ""

/**
 * One column of many rows as one parameter. Not as JSON: votes already contain bodies as JSON in JSON, and escaping every
 * quotation mark a third time made parsing the most costly part of the insertion.
 */
function column(rows: readonly ActivityRow[], value: (row: ActivityRow) => string | number | null): string {
  const texts = rows.map((row) => String(value(row) ?? NULL))
  if (texts.some((text) => text.includes(SEPARATOR))) throw new TypeError("a value contains the separator")
  const joined = texts.join(SEPARATOR)
  // Encoding as UTF-8 would replace half a surrogate pair by another character.
  if (!joined.isWellFormed()) throw new TypeError("a value is not well-formed text")
  return joined
}

/** Statement `insert into activities … select` of rows, without a conflict clause. */
export function insertActivities(sql: Queries, rows: readonly ActivityRow[]) {
  const texts = (value: (row: ActivityRow) => string | number | null) =>
    sql`string_to_array(${column(rows, value)}::text, chr(31), ${NULL})`
  // Sorted, so that concurrent inserts of the same fingerprints lock in the same order.
  return sql`
    insert into activities (organization_id, id, fingerprint, type, status, user_id, denied_user_id, intent, result,
      failure, votes, app_proofs, created_ms, updated_ms)
    select o, i, decode(f, 'hex'), t, s, u, d, intent, result, failure, votes, proofs, c, m
    from unnest(
      ${texts((row) => row.organizationId)}::uuid[],
      ${texts((row) => row.id)}::uuid[],
      ${texts((row) => hex(row.fingerprint))},
      ${texts((row) => row.type)},
      ${texts((row) => row.status)},
      ${texts((row) => row.userId)}::uuid[],
      ${texts((row) => row.deniedUserId)}::uuid[],
      ${texts((row) => row.intent)},
      ${texts((row) => row.result)},
      ${texts((row) => row.failure)},
      ${texts((row) => row.votes)},
      ${texts((row) => row.appProofs)},
      ${texts((row) => row.createdMs)}::bigint[],
      ${texts((row) => row.updatedMs)}::bigint[]
    ) as given (o, i, f, t, s, u, d, intent, result, failure, votes, proofs, c, m)
    order by 1, 3, 2`
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")
}
