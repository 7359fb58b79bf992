import type { Type } from "../language/types.ts"
import { list, oneOf, reference, string, struct, timestamp } from "../language/types.ts"
import { roots as conditionRoots } from "../../modules/namespaces.ts"
import { parametersByType } from "../../modules/parameters.ts"
import { type Field, firstWord, type Namespace } from "../language/names.ts"

const fields = Object.values(parametersByType).map((shown) => shown.fields)

/**
 * `activity`, of every request. `type` is one version of an activity, `kind` all its versions. `params` has the fields
 * of all activities; a request has those of its own type, and reading another is a fault. A field has the same type in
 * every activity.
 */
export const activity = struct("Activity", {
  type: reference("activity-type"),
  kind: reference("activity-kind"),
  resource: reference("resource"),
  action: reference("action"),
  params: struct("ActivityParams", Object.assign({}, ...fields), { partial: true }),
})

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

const roots = {
  condition: { activity, ...conditionRoots },
  consensus: { approvers, credentials },
  // The instant of the request.
  time: { "time.now": timestamp },
} as const satisfies Record<Field, Readonly<Record<string, Type>>>

/** Stored policies may have a variable named `controls`, which there hides the root. */
const rootWords = new Set(
  Object.values(roots)
    .flatMap((ofField) => Object.keys(ofField).map(firstWord))
    .filter((word) => word !== "controls"),
)

export const namespaces: Readonly<Record<Field, Namespace>> = {
  condition: { field: "condition", roots: roots.condition, rootWords },
  consensus: { field: "consensus", roots: roots.consensus, rootWords },
  time: { field: "time", roots: roots.time, clock: "time.now", rootWords },
}
