import { reference } from "../language/types.ts"
import { id, type ShownByType, type ShownParameters } from "./shown-parameters.ts"

/** The id is `''` where the login names no profile. */
const login: ShownParameters = {
  fields: { session_profile_id: reference("session-profile-id") },
  values: ({ sessionProfileId }) => ({ session_profile_id: id(sessionProfileId) }),
}

export const parameters: ShownByType = {
  OTP_LOGIN: login,
  OTP_LOGIN_V2: login,
  STAMP_LOGIN: login,
  OAUTH_LOGIN: login,
}
