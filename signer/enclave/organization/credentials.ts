import type { ApiKey, User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"

/**
 * Whether an identity at an issuer lets its user in: only once OAUTH_LOGIN is served, for until then nobody can stamp by
 * one.
 */
export const IDENTITIES_LET_IN: boolean = false

/** Whether the user has a way in that does not end by itself: a key without expiry, a passkey, or what logs him in. */
export function hasLastingCredential(user: User): boolean {
  return (
    user.apiKeys.some(lasts) || user.authenticators.length > 0 || (IDENTITIES_LET_IN && hasIdentity(user))
  )
}

/** The same of a user who may still have to wait for his way in: he is known to an issuer. */
export function mayComeIn(user: User): boolean {
  return hasLastingCredential(user) || hasIdentity(user)
}

function hasIdentity({ oauthProviders }: User): boolean {
  return oauthProviders.length > 0
}

export function lasts(key: ApiKey): boolean {
  return key.expiresAtMs === 0n
}

/**
 * Takes credentials from a user, unless that would leave him without a lasting one, or without his last identity where he
 * has nothing else. Who had none before loses nothing by it.
 *
 * @throws LAST_CREDENTIAL
 */
export function takeCredentials(user: User, take: () => void, field: string): void {
  const waysIn = [hasLastingCredential, mayComeIn].filter((has) => has(user))
  take()
  if (waysIn.every((has) => has(user))) return
  throw refuse(
    "LAST_CREDENTIAL",
    `user missing valid credential: ${user.userId} would be left without a lasting one; add another first`,
    { field },
  )
}
