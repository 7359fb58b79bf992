// Replies of one-time codes, as published clients read them.
import { list, silentRequired, string } from "./field.ts"
import { type Reply, reply } from "./reply.ts"

const otpId = silentRequired(string)
const session = { userId: silentRequired(string), apiKeyId: silentRequired(string) }
const addressee = { userId: silentRequired(string) }
const sealedSession = { ...session, credentialBundle: silentRequired(string) }
const token = { verificationToken: silentRequired(string) }

export const otpReplies: readonly Reply[] = [
  reply("INIT_OTP", "", "initOtp", { otpId }),
  reply("INIT_OTP", "V2", "initOtp", { otpId }),
  {
    type: "ACTIVITY_TYPE_INIT_OTP_V3",
    intent: "initOtpIntentV3",
    result: "initOtpResultV2",
    resultFields: { otpId, otpEncryptionTargetBundle: silentRequired(string) },
  },
  reply("VERIFY_OTP", "", "verifyOtp", token),
  reply("VERIFY_OTP", "V2", "verifyOtp", token),
  reply("OTP_LOGIN", "", "otpLogin", { session: silentRequired(string) }),
  reply("OTP_LOGIN", "V2", "otpLogin", { session: silentRequired(string) }),
  reply("INIT_OTP_AUTH", "", "initOtpAuth", { otpId }),
  { ...reply("INIT_OTP_AUTH", "V2", "initOtpAuth", { otpId }), result: "initOtpAuthResultV2" },
  { ...reply("INIT_OTP_AUTH", "V3", "initOtpAuth", { otpId }), result: "initOtpAuthResultV2" },
  reply("OTP_AUTH", "", "otpAuth", sealedSession),
  reply("OAUTH", "", "oauth", sealedSession),
  reply("EMAIL_AUTH", "", "emailAuth", session),
  reply("EMAIL_AUTH", "V2", "emailAuth", session),
  reply("EMAIL_AUTH", "V3", "emailAuth", session),
  reply("INIT_USER_EMAIL_RECOVERY", "", "initUserEmailRecovery", addressee),
  reply("INIT_USER_EMAIL_RECOVERY", "V2", "initUserEmailRecovery", addressee),
  reply("RECOVER_USER", "", "recoverUser", { authenticatorId: silentRequired(list(string)) }),
]
