import { FeatureName, OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf } from "../../core/organization/organization.ts"
import { provesContact } from "../../core/otp/verification-token.ts"
import { refuse } from "../../core/refusal.ts"
import type { Draft } from "./draft.ts"

/** Features that let a user log in by e-mail; one of them suffices. */
const MAIL = [FeatureName.OTP_EMAIL_AUTH, FeatureName.EMAIL_AUTH, FeatureName.EMAIL_RECOVERY]
const TEXT_MESSAGE = [FeatureName.SMS_AUTH]

/**
 * True if the user can log in at any time: with an API key without expiry, a passkey, an OpenID Connect identity or a
 * verified contact. An unverified contact may be misspelt, so nobody gives up their last credential for one.
 */
export function hasLastingLoginMethod(draft: Draft, user: User): boolean {
  const { apiKeys, authenticators, oauthProviders } = user
  const isCredential =
    apiKeys.some(({ expiresAtMs }) => expiresAtMs === 0n) ||
    authenticators.length > 0 ||
    oauthProviders.length > 0
  return isCredential || hasContact(draft, user, "verified")
}

/**
 * True if the user can stamp or log in now. A key that expires counts while it lasts: its user may add a lasting one. An
 * unverified contact counts too: a login by a message to it also verifies it.
 */
export function isReachable(draft: Draft, user: User): boolean {
  return (
    hasLastingLoginMethod(draft, user) ||
    user.apiKeys.some(({ expiresAtMs }) => expiresAtMs > draft.nowMs) ||
    hasContact(draft, user, "any")
  )
}

/** Requires that a user who could log in still can. @param could `isReachable` before the change @throws LAST_CREDENTIAL */
export function requireStillReachable(draft: Draft, user: User, could: boolean, field: string): void {
  if (!could || isReachable(draft, user)) return
  const sentence = `user missing valid credential: the contact is the only login method of ${user.userId}; add another first`
  throw refuse("LAST_CREDENTIAL", sentence, { field })
}

/** The number of members of the root quorum who can log in. */
export function reachableMembers(draft: Draft, members: ReadonlySet<string>): number {
  return draft.document.users.filter((user) => members.has(user.userId) && isReachable(draft, user)).length
}

/**
 * True if the user can log in by a message to a contact: in a sub-organization, whose parent asks for such logins. The channel
 * must be on, and no other user may have the contact. In a top-level organization nobody is sure to ask.
 */
function hasContact(draft: Draft, user: User, kind: "verified" | "any"): boolean {
  const { parentId, users } = draft.document
  if (parentId === "") return false
  const { email, emailVerified, phoneNumber, phoneNumberVerified } = user
  const others = users.filter((other) => other !== user)
  const isFree = (channel: OtpType, contact: string, contactOf: (other: User) => string) =>
    !others.some((other) => provesContact({ channel, contact }, channel, contactOf(other)))
  const isOn = (features: readonly FeatureName[]) =>
    features.some((name) => featureOf(draft.document, name) !== undefined)
  const hasMail = email !== "" && (emailVerified || kind === "any") && isOn(MAIL)
  if (hasMail && isFree(OtpType.EMAIL, email, (other) => other.email)) return true
  const hasNumber = phoneNumber !== "" && (phoneNumberVerified || kind === "any") && isOn(TEXT_MESSAGE)
  return hasNumber && isFree(OtpType.SMS, phoneNumber, (other) => other.phoneNumber)
}
