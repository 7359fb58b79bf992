import { CredentialType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { identityName } from "../../../core/oidc/identity.ts"
import type { Activity } from "../../activities/activity.ts"
import { readTokenOfKey, spendIdentityToken } from "./identity-login.ts"
import { openSealedSession, requireTarget, TARGET_FIELD } from "./sealed-session.ts"

const needs = ["credential", "issuer", "loginMfa", "random", "session", "settings"] as const

/**
 * Opens a session, with a key made here, for the user whom an ID token names. The token must be issued for the key that
 * the session's key is sealed to.
 */
export const oauth: Activity<"oauth", typeof needs> = {
  needs,
  check(parameters) {
    requireTarget(parameters)
    readTokenOfKey(parameters.oidcToken, parameters.targetPublicKey, TARGET_FIELD)
  },
  /** @throws TARGET_KEY_INVALID, OIDC_NONCE_WRONG, the codes of spendIdentityToken */
  run({ oidcToken, ...parameters }, context) {
    const token = readTokenOfKey(oidcToken, parameters.targetPublicKey, TARGET_FIELD)
    const user = spendIdentityToken(token, context)
    const type = CredentialType.OAUTH_KEY_P256
    const kind = { type, label: "Oauth", openedBy: identityName(token) }
    return { userId: user.userId, ...openSealedSession(user, parameters, kind, context) }
  },
}
