import { identityName } from "../../../core/oidc/identity.ts"
import type { Activity } from "../../activities/activity.ts"
import { readTokenOfKey, spendIdentityToken } from "./identity-login.ts"
import { logIn } from "./login.ts"

const KEY = "parameters.publicKey"

const needs = ["credential", "issuer", "loginMfa", "session", "settings"] as const

/**
 * Opens a session for the user whom an ID token names. The token must be issued for the session's key, and opens one session in
 * an organization. The caller, often a server of the parent, opens nothing with a token that they keep.
 */
export const oauthLogin: Activity<"oauthLogin", typeof needs> = {
  needs,
  check: ({ oidcToken, publicKey }) => void readTokenOfKey(oidcToken, publicKey, KEY),
  /** @throws OIDC_NONCE_WRONG, the codes of spendIdentityToken and of logIn */
  run({ oidcToken, ...login }, context) {
    const token = readTokenOfKey(oidcToken, login.publicKey, KEY)
    const user = spendIdentityToken(token, context)
    return { session: logIn(user, identityName(token), login, context) }
  },
}
