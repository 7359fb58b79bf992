import { CredentialType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { CodeFlow } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { compressP256, p256Point } from "../../../core/crypto/p256.ts"
import { contactCredential } from "../../../core/policy/decision/credentials.ts"
import type { Activity } from "../../activities/activity.ts"
import { requireContactOwner } from "../../activities/contact-owner.ts"
import { requireChannel, requirePlainCodes } from "../../activities/code-switches.ts"
import { openSealedSession, requireTarget } from "./sealed-session.ts"

const FIELD = "parameters.otpId"

/** Validity of the token that the signer reads at once: the time that one request may take. */
const TOKEN_SECONDS = 300

const needs = ["credential", "loginMfa", "random", "session", "settings", "verification"] as const

/** Exchanges a code of init_otp_auth for a session, whose key is made here and sealed to the client. */
export const otpAuth: Activity<"otpAuth", typeof needs> = {
  needs,
  check: (parameters) => void requireTarget(parameters),
  /**
   * The fetcher binds its token to the client's key. The API tier, which relays the token, can use it for nothing.
   * @throws OTP_CODE_INVALID, OTP_SEALED_ONLY, OTP_DISABLED, TARGET_KEY_INVALID, RESOURCE_UNKNOWN, CONTACT_AMBIGUOUS, LOGIN_MFA_NEEDED,
   *   FETCHER_NOT_PAIRED, STATEMENT_INVALID
   */
  run({ otpId, otpCode: code, ...parameters }, context) {
    requirePlainCodes(context)
    const publicKey = Buffer.from(compressP256(p256Point(requireTarget(parameters)))).toString("hex")
    const compact = context.verification.check({
      flow: CodeFlow.SEALED_SESSION,
      otpId: otpId.toLowerCase(),
      evidence: { case: "plain", value: { $typeName: "countersign.signer.v1.PlainCode", code, publicKey } },
      tokenLifetimeSeconds: TOKEN_SECONDS,
    })
    const { channel, contact } = context.verification.token(compact, FIELD)
    requireChannel(channel, context, FIELD)
    const remedy = "log in with a credential of one of them"
    const named = { channel, contact, field: FIELD, name: "the contact of this code", remedy }
    const user = requireContactOwner(named, context)
    const credential = contactCredential(user, channel)
    context.loginMfa.require(user, credential)
    const type = CredentialType.OTP_AUTH_KEY_P256
    const kind = { type, label: "OTP Auth", openedBy: credential.publicKey }
    return { userId: user.userId, ...openSealedSession(user, parameters, kind, context) }
  },
}
