import type { ApiKey, User } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../refusal.ts"

/**
 * Whether the user has a way in that does not end by itself: a key without expiry, a passkey, or an identity at an
 * issuer, by which he can log in again whenever a session has ended.
 */
export function hasLastingCredential({ apiKeys, authenticators, oauthProviders }: User): boolean {
  return apiKeys.some(lasts) || authenticators.length > 0 || oauthProviders.length > 0
}

export function lasts(key: ApiKey): boolean {
  return key.expiresAtMs === 0n
}

/**
 * Takes credentials from a user, unless that would leave him without a lasting one. Who had none before loses
 * nothing by it.
 *
 * @throws LAST_CREDENTIAL
 */
export function takeCredentials(user: User, take: () => void, field: string): void {
  const hadLasting = hasLastingCredential(user)
  take()
  if (hadLasting && !hasLastingCredential(user)) {
    throw refuse(
      "LAST_CREDENTIAL",
      `user missing valid credential: ${user.userId} would be left without a lasting one; add another first`,
      { field },
    )
  }
}
