import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordSchema,
  type SessionRecord,
  SessionRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { hex } from "./activity-row.ts"
import type { Queries, Transaction } from "../../database/database.ts"
import { isUuidInAnyCase } from "./uuid.ts"

/** A session's record from the signer: its creation, or its end before it expires. */
export type SessionChange = {
  id: string
  publicKey: string
  userId: string
  /** Unix time, milliseconds. */
  expiresMs: number
  ended: boolean
  bytes: Uint8Array
}

/** `bytes`: the serialized record, as the signer sent it. */
type SessionRow = { id: string; bytes: Uint8Array }

/** A key that stamps for a user until it expires; `id` is the id of its record. */
export type StoredSession = SessionRecord & { id: string }

export function readSession({ id, bytes }: SessionRow): StoredSession {
  return { ...fromBinary(SessionRecordSchema, fromBinary(RecordSchema, bytes).payload), id }
}

/**
 * Stores sessions. A session's two records may arrive twice and in any order: an ended session stays ended. The worker
 * removes those that expired long ago.
 */
export async function storeSessions(
  tx: Transaction,
  organizationId: string,
  sessions: readonly SessionChange[],
): Promise<void> {
  const list = sessions.map((session) => ({ ...session, bytes: hex(session.bytes) }))
  await tx`
    insert into sessions (organization_id, id, public_key, user_id, expires_ms, ended, bytes)
    select distinct on (id) ${organizationId}::uuid, id, "publicKey", "userId", "expiresMs", ended, decode(bytes, 'hex')
    from jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb) as list (id uuid, "publicKey" text, "userId" uuid,
      "expiresMs" bigint, ended boolean, bytes text)
    order by id, ended desc
    on conflict (organization_id, id) do update set ended = true, bytes = excluded.bytes
    where excluded.ended and not sessions.ended`
}

/** The session that a key stamps in, expired or not. */
export async function getSession(
  sql: Queries,
  organizationId: string,
  publicKey: string,
): Promise<SessionRow | undefined> {
  if (!isUuidInAnyCase(organizationId)) return undefined
  const [row] = await sql<SessionRow[]>`
    select id, bytes from sessions
    where organization_id = ${organizationId} and public_key = ${publicKey} and not ended
    order by id desc limit 1`
  return row
}

/** Sessions that are valid at a time (Unix, ms), of these users or of all users; oldest first. */
export async function listSessions(
  sql: Queries,
  organizationId: string,
  { nowMs, userIds }: { nowMs: number; userIds?: readonly string[] | undefined },
): Promise<SessionRow[]> {
  if (!isUuidInAnyCase(organizationId)) return []
  return sql<SessionRow[]>`
    select id, bytes from sessions
    where organization_id = ${organizationId} and not ended and expires_ms > ${nowMs}
    ${userIds === undefined ? sql`` : sql`and user_id = any (${userIds.filter(isUuidInAnyCase)}::uuid[])`}
    order by id`
}
