import type { ApiKey, User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { Draft } from "./draft.ts"
import { MAX_EXPIRING_KEYS } from "./limits.ts"

/** Whether OpenID Connect identities count as lasting credentials: not before OAUTH_LOGIN is served. */
export const IDENTITIES_LET_IN: boolean = false

/** Whether the user has a credential that does not expire: an API key, a passkey, or an identity that can log in. */
export function hasLastingCredential(user: User): boolean {
  return (
    user.apiKeys.some(isLasting) || user.authenticators.length > 0 || (IDENTITIES_LET_IN && hasIdentity(user))
  )
}

/** Whether the user has a lasting credential, or an identity that will be one once OAUTH_LOGIN is served. */
export function hasLastingOrIdentity(user: User): boolean {
  return hasLastingCredential(user) || hasIdentity(user)
}

function hasIdentity({ oauthProviders }: User): boolean {
  return oauthProviders.length > 0
}

export function isLasting(key: ApiKey): boolean {
  return key.expiresAtMs === 0n
}

/**
 * Removes credentials of a user, but neither the last lasting one nor the last identity of a user who has nothing else.
 * A user without either before may lose any credential. @throws LAST_CREDENTIAL
 */
export function removeCredentials(
  draft: Draft,
  user: User,
  remaining: Partial<Pick<User, "apiKeys" | "authenticators" | "oauthProviders">>,
  field: string,
): void {
  const kinds = [hasLastingCredential, hasLastingOrIdentity].filter((has) => has(user))
  Object.assign(user, remaining)
  if (!kinds.every((has) => has(user))) {
    const sentence = `user missing valid credential: ${user.userId} would be left without a lasting one; add another first`
    throw refuse("LAST_CREDENTIAL", sentence, { field })
  }
  draft.touch(user)
}

/** @throws CREDENTIAL_TAKEN when the key is a credential or an active session; own sessions of `forUserId` are allowed */
export function requireFreeKey(draft: Draft, publicKey: string, field: string, forUserId = ""): void {
  const { id, document } = draft
  const isCredential = document.users.some((user) => user.apiKeys.some((key) => key.publicKey === publicKey))
  if (!isCredential && !isActiveSession(draft, publicKey, forUserId)) return
  const sentence = `public key ${publicKey} is already a credential of organization ${id}`
  throw refuse("CREDENTIAL_TAKEN", sentence, { field })
}

/** Whether the key is an unexpired session of an existing user other than `exceptUserId`. */
function isActiveSession(
  { document, sessions, nowMs }: Draft,
  publicKey: string,
  exceptUserId: string,
): boolean {
  const session = sessions.find(publicKey)
  if (session === undefined || session.userId === exceptUserId || session.expiresAtMs <= nowMs) return false
  return document.users.some(({ userId }) => userId === session.userId)
}

/** Makes room for one more expiring key of a user: removes the oldest expired key or session, else the oldest. */
export function makeRoomForExpiring(draft: Draft, user: User): void {
  const keys = user.apiKeys.filter((key) => !isLasting(key))
  const sessions = draft.sessions.of(user.userId)
  if (keys.length + sessions.length < MAX_EXPIRING_KEYS) return
  const expiring = [
    ...keys.map((key) => ({
      ...key,
      remove() {
        user.apiKeys = user.apiKeys.filter((other) => other !== key)
        draft.touch(user)
      },
    })),
    ...sessions.map((session) => ({ ...session, remove: () => draft.sessions.end(session) })),
  ]
  const expired = expiring.filter(({ expiresAtMs }) => expiresAtMs <= draft.nowMs)
  const candidates = expired.length > 0 ? expired : expiring
  candidates.reduce((a, b) => (b.createdAtMs < a.createdAtMs ? b : a)).remove()
}
