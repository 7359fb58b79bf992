import type { OrganizationDraft } from "./draft.ts"
import type { Session } from "./sessions.ts"

/**
 * Whether a key is somebody's already: a credential of the document, or a session that still stamps. For the user
 * `forUserId` his own sessions do not count.
 */
export function isKeyTaken(draft: OrganizationDraft, publicKey: string, forUserId = ""): boolean {
  const { users } = draft.document
  if (users.some((user) => user.apiKeys.some((key) => key.publicKey === publicKey))) return true
  const session = draft.sessions.find(publicKey)
  return session !== undefined && session.userId !== forUserId && stamps(draft, session)
}

/** It has not expired, and its user is still there. */
function stamps({ document, nowMs }: OrganizationDraft, { expiresAtMs, userId }: Session): boolean {
  return expiresAtMs > nowMs && document.users.some((user) => user.userId === userId)
}
