import type { SessionRecord } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { OrganizationDraft } from "./draft.ts"
import { makeRoomForExpiring } from "./expiring-keys.ts"
import { isKeyTaken } from "./taken-keys.ts"

/** A key that stamps for a user until it expires. It stands beside the document; `id` is that of its record. */
export type Session = Omit<SessionRecord, "$typeName" | "$unknown"> & { id: string }

/** An organization's sessions while an activity changes them. */
export type SessionStore = {
  /** Those of a user, with expired ones that are not forgotten yet. */
  of(userId: string): readonly Session[]
  /** The one that a key stamps in, whoever's, expired or not. */
  find(publicKey: string): Session | undefined
  open(session: Session): void
  end(session: Session): void
}

export type NewSession = Pick<
  Session,
  "id" | "name" | "publicKey" | "type" | "expirationSeconds" | "openedBy" | "scope"
> & {
  /** Whether the user's other sessions end. */
  invalidateExisting: boolean
}

/**
 * Opens a session for a user; an eleventh key that expires takes the place of one that has, else of the oldest. A key
 * that is the user's session already gets a new one in the old one's place: that is how he prolongs it.
 *
 * @throws CREDENTIAL_TAKEN
 */
export function openSession(draft: OrganizationDraft, user: User, born: NewSession, field: string): Session {
  const { invalidateExisting, ...described } = born
  const { userId } = user
  if (isKeyTaken(draft, described.publicKey, userId)) {
    const sentence = `public key ${described.publicKey} is already a credential of organization ${draft.id}`
    throw refuse("CREDENTIAL_TAKEN", sentence, { field })
  }
  const former = draft.sessions.find(described.publicKey)
  if (former !== undefined) draft.sessions.end(former)
  if (invalidateExisting) endSessions(draft, userId)
  makeRoomForExpiring(draft, user)
  const session = {
    ...described,
    userId,
    createdAtMs: draft.nowMs,
    expiresAtMs: draft.nowMs + described.expirationSeconds * 1000n,
  }
  draft.sessions.open(session)
  return session
}

/** Ends all sessions of a user, at his own wish or because he leaves. */
export function endSessions(draft: OrganizationDraft, userId: string): void {
  for (const session of draft.sessions.of(userId)) draft.sessions.end(session)
}
