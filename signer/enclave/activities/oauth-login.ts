import type { OauthProvider, User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { identityName, isSameIdentity } from "../../core/oidc/identity.ts"
import { expiryMsOf, type IdToken, readIdToken, useIdOf } from "../../core/oidc/token.ts"
import { identityCredential } from "../../core/policy/decision/credentials.ts"
import { refuse } from "../../core/refusal.ts"
import { isOfKey } from "../../core/stamp/attested.ts"
import type { Activity, ActivityContext } from "./activity.ts"
import { requireValidTokens } from "./shared/id-tokens.ts"
import { logIn } from "./shared/login.ts"

const FIELD = "parameters.oidcToken"

/**
 * Opens a session for the user whom an ID token names. The token must be issued for the session's key, and opens one
 * session in an organization: whoever asks for the login, often a server of the parent, opens nothing with a token that
 * they keep.
 */
export const oauthLogin: Activity<"oauthLogin"> = {
  check: ({ oidcToken, publicKey }) => void readTokenOfKey(oidcToken, publicKey),
  /**
   * @throws OIDC_TOKEN_INVALID, OIDC_NONCE_WRONG, OIDC_TOKEN_USED, RESOURCE_UNKNOWN, LOGIN_MFA_NEEDED, FETCHER_NOT_PAIRED,
   *   STATEMENT_INVALID, the codes of logIn
   */
  run({ oidcToken, ...login }, context) {
    const token = readTokenOfKey(oidcToken, login.publicKey)
    const { user, provider } = requireOwner(token, context)
    requireValidTokens([{ token, at: FIELD }], context)
    const use = {
      use: "oauth-login",
      id: useIdOf(token),
      expiresMs: expiryMsOf(token, FIELD),
    }
    context.changes.spendToken({ ...use, organizationId: context.organization.id }, used)
    context.requireLoginMfa(user, identityCredential(provider))
    return { session: logIn(user, identityName(token), login, context) }
  },
}

function readTokenOfKey(compact: string, publicKey: string): IdToken {
  const token = readIdToken(compact, FIELD)
  if (isOfKey(token, publicKey.toLowerCase())) return token
  const sentence =
    "oidc nonce does not match public key: expected the lower-case hex SHA-256 of parameters.publicKey as text"
  throw refuse("OIDC_NONCE_WRONG", sentence, { field: FIELD })
}

function requireOwner(
  token: IdToken,
  { organization }: ActivityContext,
): { user: User; provider: OauthProvider } {
  for (const user of organization.document.users) {
    const provider = user.oauthProviders.find((one) => isSameIdentity(one, token))
    if (provider !== undefined) return { user, provider }
  }
  const { issuer, audience, subject } = token
  const named = `issuer=${issuer} audience=${audience} subject=${subject}`
  const sentence = `no user of organization ${organization.id} has the OIDC identity of this token: ${named}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field: FIELD })
}

function used() {
  return refuse(
    "OIDC_TOKEN_USED",
    "this OIDC token has opened a session here before: log in at the issuer again",
    {
      field: FIELD,
    },
  )
}
