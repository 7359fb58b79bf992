import { list, reference, oneOf, string, struct } from "../language/types.ts"

/** `approvers`: users who approved the activity, the submitter first. */
export const approvers = list(
  struct("User", {
    id: reference("user-id"),
    tags: list(reference("user-tag-id")),
    email: string,
    alias: string,
  }),
)

/** `credentials`: the credentials that stamped the approvals. Only passkeys have a `credential_id`. */
export const credentials = list(
  struct("Credential", {
    id: string,
    user_id: reference("user-id"),
    type: oneOf(
      "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
      "CREDENTIAL_TYPE_API_KEY_P256",
      "CREDENTIAL_TYPE_API_KEY_SECP256K1",
      "CREDENTIAL_TYPE_API_KEY_ED25519",
      "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256",
      "CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256",
      "CREDENTIAL_TYPE_RECOVER_USER_KEY_P256",
      "CREDENTIAL_TYPE_OAUTH_KEY_P256",
      "CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256",
      "CREDENTIAL_TYPE_LOGIN",
    ),
    credential_id: string,
    public_key: string,
  }),
)
