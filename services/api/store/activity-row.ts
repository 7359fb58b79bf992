import type { Queries } from "../../database/database.ts"
import { statusName, storedStatus, storedType, typeName } from "./activity-codes.ts"
import { type Contents, packContents, textLength, unpackContents } from "./contents.ts"
import type { StoredVote } from "./stored-vote.ts"

/** An activity. Its JSON texts are not parsed in this room. */
export type ActivityRow = Contents & {
  organizationId: string
  /** UUIDv7. */
  id: string
  /** SHA-256, 32 bytes. */
  fingerprint: Uint8Array
  type: string
  status: string
  /** The same user's id, for a denial; null: it was not denied. A body has one activity, and one denial for each user. */
  deniedUserId: string | null
  /** JSON; null unless failed. */
  failure: string | null
  updatedMs: number
}

/** Select list of a `StoredActivity`. */
const ACTIVITY_COLUMNS = `activities.organization_id as "organizationId", activities.id, activities.fingerprint,
  activities.type, activities.status, activities.user_id as "userId",
  activities.denied_user_id as "deniedUserId", activities.intent, activities.result, activities.failure,
  activities.votes, activities.app_proofs as "appProofs", activities.contents, activities.created_ms as "createdMs",
  activities.updated_ms as "updatedMs"`

/** The select list as a part of a statement. */
export function activityColumns(sql: Queries) {
  return sql.unsafe(ACTIVITY_COLUMNS)
}

/** A row as the driver returns it: times are bigint columns. Either contents, or intent and votes. */
export type StoredActivity = Pick<
  ActivityRow,
  | "organizationId"
  | "id"
  | "fingerprint"
  | "type"
  | "status"
  | "userId"
  | "deniedUserId"
  | "result"
  | "failure"
  | "appProofs"
> & {
  /** JSON, in rows of 0.1.0; null in others. */
  intent: string | null
  votes: string | null
  contents: Uint8Array | null
  createdMs: bigint | number
  updatedMs: bigint | number
}

export function readActivity({ contents, intent, votes, ...stored }: StoredActivity): ActivityRow {
  const row = {
    ...stored,
    type: typeName(stored.type),
    status: statusName(stored.status),
    createdMs: Number(stored.createdMs),
    updatedMs: Number(stored.updatedMs),
  }
  if (contents !== null) return { ...row, ...unpackContents(contents, row) }
  return { ...row, intent: intent ?? "{}", votes: JSON.parse(votes ?? "[]") as StoredVote[] }
}

/** The activity of a snapshot, which a trigger of the database makes for webhooks. */
export function readSnapshot(text: string): ActivityRow {
  const { fingerprint, contents, ...row } = JSON.parse(text) as Snapshot
  return readActivity({
    ...row,
    fingerprint: Buffer.from(fingerprint, "hex"),
    // A trigger of 0.1.0 knew no contents.
    contents: contents == null ? null : Buffer.from(contents, "hex"),
  })
}

/** Bytes are hexadecimal digits. */
type Snapshot = Omit<StoredActivity, "fingerprint" | "contents"> & {
  fingerprint: string
  contents?: string | null
}

/** Results that a trigger of the database reads: they are kept as text too. */
const READ_BY_TRIGGERS: ReadonlySet<string> = new Set([
  "ACTIVITY_TYPE_REDELIVER_WEBHOOK_DELIVERIES",
  "ACTIVITY_TYPE_SEND_WEBHOOK_TEST_EVENT",
])

/** The values of a row's columns. */
export type PackedActivity = {
  organizationId: string
  id: string
  /** Hexadecimal digits. */
  fingerprint: string
  type: string
  status: string
  userId: string
  deniedUserId: string | null
  /** JSON, if a trigger reads it. */
  result: string | null
  failure: string | null
  /** Hexadecimal digits. */
  contents: string
  textLength: number
  createdMs: number
  updatedMs: number
}

/** @throws {TypeError} text that is not well-formed */
export function packActivity(row: ActivityRow): PackedActivity {
  const { organizationId, id, fingerprint, userId, deniedUserId, failure, createdMs, updatedMs } = row
  return {
    organizationId,
    id,
    fingerprint: hex(fingerprint),
    type: storedType(row.type),
    status: storedStatus(row.status),
    userId,
    deniedUserId,
    result: READ_BY_TRIGGERS.has(row.type) ? row.result : null,
    failure,
    contents: packContents(row),
    textLength: textLength(row),
    createdMs,
    updatedMs,
  }
}

/** Characters of an activity's texts as they are shown, about. */
export function shownLength(row: ActivityRow): number {
  return textLength(row) + (row.failure?.length ?? 0)
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")
}
