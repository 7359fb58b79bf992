import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { MAX_EXPIRING_KEYS } from "./limits.ts"
import type { OrganizationDraft } from "./draft.ts"
import { touchUser } from "./users.ts"

/** A key that ends by itself: one of the document, or a session beside it. */
type Expiring = { createdAtMs: bigint; expiresAtMs: bigint; leave(): void }

/** Room for one more expiring key of a user: the oldest that has expired goes, else the oldest. */
export function makeRoomForExpiring(draft: OrganizationDraft, user: User): void {
  const expiring = [...expiringApiKeys(draft, user), ...expiringSessions(draft, user)]
  if (expiring.length < MAX_EXPIRING_KEYS) return
  const expired = expiring.filter(({ expiresAtMs }) => expiresAtMs <= draft.nowMs)
  const candidates = expired.length > 0 ? expired : expiring
  candidates.reduce((a, b) => (b.createdAtMs < a.createdAtMs ? b : a)).leave()
}

function expiringApiKeys(draft: OrganizationDraft, user: User): Expiring[] {
  const keys = user.apiKeys.filter(({ expiresAtMs }) => expiresAtMs !== 0n)
  return keys.map((key) => ({
    ...key,
    leave() {
      user.apiKeys = user.apiKeys.filter((other) => other !== key)
      touchUser(draft, user)
    },
  }))
}

function expiringSessions({ sessions }: OrganizationDraft, { userId }: User): Expiring[] {
  return sessions.of(userId).map((session) => ({ ...session, leave: () => sessions.end(session) }))
}
