import { int, reference } from "../../policy/language/types.ts"
import { id, type ShownByType, type ShownParameters } from "../../policy/parameters/shown-parameters.ts"

/** The id is `''` where a login names no profile. */
const sessionProfile: ShownParameters = {
  fields: { session_profile_id: reference("session-profile-id") },
  values: ({ sessionProfileId }) => ({ session_profile_id: id(sessionProfileId) }),
}

const initOtpAuth: ShownParameters = { fields: { otp_length: int } }

export const parameters: ShownByType = {
  DELETE_SESSION_PROFILE: sessionProfile,
  INIT_OTP_AUTH_V2: initOtpAuth,
  INIT_OTP_AUTH_V3: initOtpAuth,
  OTP_LOGIN: sessionProfile,
  OTP_LOGIN_V2: sessionProfile,
  STAMP_LOGIN: sessionProfile,
  OAUTH_LOGIN: sessionProfile,
}
