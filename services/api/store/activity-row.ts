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
  /** JSON: a list; null unless somebody asked for them. */
  appProofs: string | null
  createdMs: number
  updatedMs: number
}

const FINAL_STATUSES = ["ACTIVITY_STATUS_COMPLETED", "ACTIVITY_STATUS_FAILED", "ACTIVITY_STATUS_REJECTED"]

/** Whether an activity never changes its status again. */
export function isFinal({ status }: Pick<ActivityRow, "status">): boolean {
  return FINAL_STATUSES.includes(status)
}

/** Select list that yields `StoredActivity`. */
export function activityColumns(sql: Queries) {
  return sql`activities.organization_id as "organizationId", activities.id, activities.fingerprint,
    activities.type, activities.status, activities.user_id as "userId", activities.intent, activities.result,
    activities.failure, activities.votes, activities.app_proofs as "appProofs", activities.created_ms as "createdMs", activities.updated_ms as "updatedMs"`
}

/** What the driver gives: times are bigint columns. */
export type StoredActivity = Omit<ActivityRow, "createdMs" | "updatedMs"> & {
  createdMs: bigint
  updatedMs: bigint
}

export function readActivity(row: StoredActivity): ActivityRow {
  return { ...row, createdMs: Number(row.createdMs), updatedMs: Number(row.updatedMs) }
}

/** Between the values of a column; none of them can hold it, for JSON writes control characters as escapes. */
const SEPARATOR = "\u001f"

/** Stands for null: no column that may be null is ever empty text. */
const NULL = ""

/**
 * One column of many rows as one parameter. Not JSON: votes hold bodies as JSON in JSON already, and a third
 * escaping of every quotation mark made parsing the dearest part of the insertion.
 */
function column(rows: readonly ActivityRow[], value: (row: ActivityRow) => string | number | null): string {
  const texts = rows.map((row) => String(value(row) ?? NULL))
  if (texts.some((text) => text.includes(SEPARATOR))) throw new TypeError("a value holds the separator")
  const joined = texts.join(SEPARATOR)
  // Written as UTF-8 half a surrogate pair would silently become another character.
  if (!joined.isWellFormed()) throw new TypeError("a value is not well-formed text")
  return joined
}

/** `insert into activities … select` of these rows, without its conflict rule. */
export function insertActivities(sql: Queries, rows: readonly ActivityRow[]) {
  const texts = (value: (row: ActivityRow) => string | number | null) =>
    sql`string_to_array(${column(rows, value)}::text, chr(31), ${NULL})`
  // Sorted, so that two processes that insert the same fingerprints wait for each other in one order.
  return sql`
    insert into activities (organization_id, id, fingerprint, type, status, user_id, intent, result, failure, votes,
      app_proofs, created_ms, updated_ms)
    select o, i, decode(f, 'hex'), t, s, u, intent, result, failure, votes, proofs, c, m
    from unnest(
      ${texts((row) => row.organizationId)}::uuid[],
      ${texts((row) => row.id)}::uuid[],
      ${texts((row) => hex(row.fingerprint))},
      ${texts((row) => row.type)},
      ${texts((row) => row.status)},
      ${texts((row) => row.userId)}::uuid[],
      ${texts((row) => row.intent)},
      ${texts((row) => row.result)},
      ${texts((row) => row.failure)},
      ${texts((row) => row.votes)},
      ${texts((row) => row.appProofs)},
      ${texts((row) => row.createdMs)}::bigint[],
      ${texts((row) => row.updatedMs)}::bigint[]
    ) as given (o, i, f, t, s, u, intent, result, failure, votes, proofs, c, m)
    order by 1, 3, 2`
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")
}
