import type { OauthProvider, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { isSameIdentity } from "../../../core/oidc/identity.ts"
import { type IdToken, lastExpiryMsOf, readIdToken, useIdOf } from "../../../core/oidc/token.ts"
import { identityCredential } from "../../../core/policy/decision/credentials.ts"
import { refuse } from "../../../core/refusal.ts"
import { isOfKey } from "../../../core/stamp/attested.ts"
import type { ActivityContext } from "../../activities/activity.ts"
import { requireValidTokens } from "../../activities/id-tokens.ts"

const FIELD = "parameters.oidcToken"

/** Reads a token that is issued for a key. `name`: the key's member. @throws OIDC_TOKEN_INVALID, OIDC_NONCE_WRONG */
export function readTokenOfKey(compact: string, publicKey: string, name: string): IdToken {
  const token = readIdToken(compact, FIELD)
  if (isOfKey(token, publicKey.toLowerCase())) return token
  const sentence = `oidc nonce does not match public key: expected the lower-case hex SHA-256 of ${name} as text`
  throw refuse("OIDC_NONCE_WRONG", sentence, { field: FIELD })
}

/**
 * Verifies a token and spends it: it opens one session in an organization, whichever activity opens it. Returns the user
 * whom it names.
 * @throws OIDC_TOKEN_USED, RESOURCE_UNKNOWN, LOGIN_MFA_NEEDED, and the codes of requireValidTokens
 */
export function spendIdentityToken(
  token: IdToken,
  context: ActivityContext<["issuer", "loginMfa", "settings"]>,
): User {
  const { user, provider } = requireOwner(token, context)
  requireValidTokens([{ token, at: FIELD }], context)
  const use = { use: "oauth-login", id: useIdOf(token), expiresMs: lastExpiryMsOf(token, FIELD) } as const
  context.changes.spendToken({ ...use, organizationId: context.organization.id }, used)
  context.loginMfa.require(user, identityCredential(provider))
  return user
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
  const sentence = "this OIDC token has opened a session here before: log in at the issuer again"
  return refuse("OIDC_TOKEN_USED", sentence, { field: FIELD })
}
