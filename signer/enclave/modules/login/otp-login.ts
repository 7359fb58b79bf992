import { OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { VerificationToken } from "../../../core/otp/verification-token.ts"
import { contactCredential } from "../../../core/policy/decision/credentials.ts"
import { refuse } from "../../../core/refusal.ts"
import { markContactProven } from "../../organization/users.ts"
import { type ClientSignature, requireSignedLogin } from "../../../core/stamp/client-signature.ts"
import { findOpenInvitation } from "../../organization/invitation-state.ts"
import { acceptInvitation } from "../../organization/invitations.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import { findContactOwner, requireContactOwner } from "../../activities/contact-owner.ts"
import { logIn } from "./login.ts"
import { requireChannel } from "../../activities/code-switches.ts"
import { readVerificationToken } from "../../activities/verified-contact.ts"
import type { LoginParameters } from "./session-terms.ts"

const FIELD = "parameters.verificationToken"
const SIGNATURE_FIELD = "parameters.clientSignature"

type OtpLogin = LoginParameters & {
  verificationToken: string
  publicKey: string
  invalidateExisting?: boolean | undefined
  clientSignature?: ClientSignature | undefined
}

const needs = ["credential", "loginMfa", "session", "settings", "verification"] as const

export const otpLogin: Activity<"otpLogin", typeof needs> = { needs, run }
export const otpLoginV2: Activity<"otpLogin", typeof needs, "V2"> = { needs, run }

/**
 * Opens a session for the user whose contact a token proves. The key that the token is bound to must sign this login, so the
 * caller, often a server of the parent, opens nothing alone. A token logs in once.
 * @throws OTP_DISABLED, OTP_SEALED_ONLY, VERIFICATION_TOKEN_INVALID, VERIFICATION_TOKEN_USED, CLIENT_SIGNATURE_INVALID, RESOURCE_UNKNOWN, CONTACT_AMBIGUOUS,
 *   LOGIN_MFA_NEEDED, FETCHER_NOT_PAIRED, the codes of acceptInvitation and of logIn
 */
function run(
  { verificationToken, clientSignature, ...login }: OtpLogin,
  context: ActivityContext<typeof needs>,
) {
  const token = readVerificationToken(verificationToken, context)
  requireChannel(token.channel, context, FIELD)
  const signed = { ...token, compact: verificationToken }
  requireSignedLogin(clientSignature, signed, login.publicKey, SIGNATURE_FIELD)
  const user = requireOwner(token, context)
  const { organizationId, id, expiresAtMs: expiresMs } = token
  context.changes.spendToken({ organizationId, use: "otp-login", id, expiresMs }, used)
  const credential = contactCredential(user, token.channel)
  context.loginMfa.require(user, credential)
  markContactProven(context.organization, user, token.channel)
  return { session: logIn(user, credential.publicKey, login, context) }
}

/** Names the contact of a token in refusals. */
function named({ channel, contact }: VerificationToken) {
  const remedy = "log in with a credential of one of them"
  return { channel, contact, field: FIELD, name: "the contact of this token", remedy }
}

/**
 * The user with the proven contact. A person without a user, and with an open invitation, becomes one: the first login
 * accepts it.
 */
function requireOwner(token: VerificationToken, context: ActivityContext): User {
  const user = findContactOwner(named(token), context)
  if (user !== undefined) return user
  const isMail = token.channel === OtpType.EMAIL
  const invitation = isMail ? findOpenInvitation(context.organization, token.contact) : undefined
  if (invitation === undefined) return requireContactOwner(named(token), context)
  return acceptInvitation(context.organization, invitation, context.newId(), FIELD)
}

function used() {
  const sentence = "this verification token has opened a session before: verify the contact again"
  return refuse("VERIFICATION_TOKEN_USED", sentence, { field: FIELD })
}
