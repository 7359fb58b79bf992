import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { makeRoomForExpiring, requireFreeKey } from "./credentials.ts"
import type { Draft, Session } from "./draft.ts"

export type NewSession = Omit<Session, "userId" | "createdAtMs" | "expiresAtMs"> & {
  /** Whether the user's other sessions end. */
  invalidateExisting: boolean
}

/**
 * Opens a session for a user. An eleventh expiring key replaces the oldest expired one, else the oldest. A login with
 * the key of an own session replaces that session: so clients prolong it. @throws CREDENTIAL_TAKEN
 */
export function openSession(
  draft: Draft,
  user: User,
  { invalidateExisting, ...parameters }: NewSession,
  field: string,
): Session {
  const { userId } = user
  requireFreeKey(draft, parameters.publicKey, field, userId)
  const former = draft.sessions.find(parameters.publicKey)
  if (former !== undefined) draft.sessions.end(former)
  if (invalidateExisting) endSessions(draft, userId)
  makeRoomForExpiring(draft, user)
  const expiresAtMs = draft.nowMs + parameters.expirationSeconds * 1000n
  const session = { ...parameters, userId, createdAtMs: draft.nowMs, expiresAtMs }
  draft.sessions.open(session)
  return session
}

/** Ends all sessions of a user. */
export function endSessions(draft: Draft, userId: string): void {
  for (const session of draft.sessions.of(userId)) draft.sessions.end(session)
}
