import { int, list, reference, string } from "../language/types.ts"
import { id, ids, type ShownByType, type ShownParameters } from "./shown-parameters.ts"

const createApiKeys: ShownParameters = {
  fields: { user_id: reference("user-id") },
  values: ({ userId }) => ({ user_id: id(userId) }),
}

/** The id is `''` where a login names no profile. */
const sessionProfile: ShownParameters = {
  fields: { session_profile_id: reference("session-profile-id") },
  values: ({ sessionProfileId }) => ({ session_profile_id: id(sessionProfileId) }),
}

const initOtpAuth: ShownParameters = { fields: { otp_length: int } }

export const parameters: ShownByType = {
  CREATE_API_KEYS: createApiKeys,
  CREATE_API_KEYS_V2: createApiKeys,
  DELETE_API_KEYS: {
    fields: { user_id: reference("user-id"), api_key_ids: list(string) },
    values: ({ userId, apiKeyIds }) => ({ user_id: id(userId), api_key_ids: ids(apiKeyIds) }),
  },
  DELETE_USERS: {
    fields: { user_ids: list(reference("user-id")) },
    values: ({ userIds }) => ({ user_ids: ids(userIds) }),
  },
  DELETE_SESSION_PROFILE: sessionProfile,
  INIT_OTP_AUTH_V2: initOtpAuth,
  INIT_OTP_AUTH_V3: initOtpAuth,
  OTP_LOGIN: sessionProfile,
  OTP_LOGIN_V2: sessionProfile,
  STAMP_LOGIN: sessionProfile,
  OAUTH_LOGIN: sessionProfile,
}
