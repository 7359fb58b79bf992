import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { provesContact, type VerificationToken } from "../../core/otp/verification-token.ts"
import { refuse } from "../../core/refusal.ts"
import { markContactProven } from "../organization/users.ts"
import type { ActivityContext } from "./activity.ts"
import { requirePlainCodes } from "./code-switches.ts"

/** Path that refusals of a verification token name. */
export const TOKEN_FIELD = "parameters.verificationToken"

/**
 * Reads a token of the organization or its parent. Where codes in clear are closed, their tokens are closed too: the
 * parent may issue them without that switch. @throws VERIFICATION_TOKEN_INVALID, OTP_SEALED_ONLY, FETCHER_NOT_PAIRED
 */
export function readVerificationToken(
  compact: string,
  context: ActivityContext<["settings", "verification"]>,
): VerificationToken {
  const token = context.verification.token(compact, TOKEN_FIELD)
  if (!token.isSealed) requirePlainCodes(context, TOKEN_FIELD)
  return token
}

/**
 * Marks a user's contact as verified, by a token that is for it. A token verifies one contact of one user: sign-ups and
 * changes of contacts spend it together. The activity keeps the token. `at`: path of the contact.
 * @throws VERIFICATION_TOKEN_CONTACT_WRONG, VERIFICATION_TOKEN_USED
 */
export function verifyContact(
  user: User,
  token: VerificationToken,
  at: string,
  { organization, changes }: Pick<ActivityContext, "organization" | "changes">,
): void {
  const isMail = token.channel === OtpType.EMAIL
  if (!provesContact(token, token.channel, isMail ? user.email : user.phoneNumber)) throw otherContact(at)
  const { organizationId, id, expiresAtMs: expiresMs } = token
  changes.spendToken({ organizationId, use: "contact", id, expiresMs }, used)
  markContactProven(organization, user, token.channel)
}

/** The refusal of a token for another contact. `at`: path of the requested contact. The token's contact is not disclosed. */
export function otherContact(at: string) {
  const sentence = `the verification token is not for ${at}: verify that contact, and spell it as it was verified`
  return refuse("VERIFICATION_TOKEN_CONTACT_WRONG", sentence, { field: TOKEN_FIELD })
}

function used() {
  const sentence = "this verification token has verified a contact before: verify the contact again"
  return refuse("VERIFICATION_TOKEN_USED", sentence, { field: TOKEN_FIELD })
}
