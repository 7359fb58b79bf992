import type { OidcClaims } from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { invalidToken } from "../../../core/oidc/fault.ts"
import { canonicalIssuer } from "../../../core/oidc/issuer.ts"
import { type Identity, type IdToken, readIdToken, requireValid } from "../../../core/oidc/token.ts"
import { addOauthProvider } from "../../organization/oauth-providers.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ActivityContext } from "../activity.ts"

/** An OpenID Connect identity as requests of any version describe it. */
export type OauthProviderParameters = {
  providerName: string
  oidcToken?: string | undefined
  oidcClaims?: OidcClaims | undefined
}

/**
 * Adds identities to a user; returns their ids in order. The tokens that prove them are not stored.
 * @throws REQUEST_INVALID, OIDC_TOKEN_INVALID, IDENTITY_TAKEN, LIMIT_EXCEEDED, FETCHER_NOT_PAIRED, STATEMENT_INVALID
 */
export function addOauthProviders(
  user: User,
  providers: readonly OauthProviderParameters[],
  context: ActivityContext,
  field: string,
): string[] {
  const requested = providers.map((provider, index) => readProvider(provider, `${field}[${index}]`))
  requireProven(requested, user, context)
  return requested.map(({ name, identity, at }) => {
    const providerId = context.newId()
    const { issuer, audience, subject } = identity
    addOauthProvider(context.organization, user, { providerId, name, issuer, audience, subject }, at)
    return providerId
  })
}

/** An identity to add, with its token where the request has one. */
type RequestedIdentity = { name: string; at: string } & (
  | { identity: IdToken; isToken: true }
  | { identity: Identity; isToken: false }
)

function readProvider(
  { providerName: name, oidcToken, oidcClaims }: OauthProviderParameters,
  at: string,
): RequestedIdentity {
  if ((oidcToken === undefined) === (oidcClaims === undefined))
    throw refuse("REQUEST_INVALID", "set exactly one of oidcToken and oidcClaims", { field: at })
  if (oidcToken !== undefined)
    return { name, at, identity: readIdToken(oidcToken, `${at}.oidcToken`), isToken: true }
  const { iss = "", aud: audience = "", sub: subject = "" } = oidcClaims ?? {}
  const issuer = canonicalIssuer(iss)
  if (issuer === undefined) {
    throw refuse(
      "REQUEST_INVALID",
      "iss is not an issuer: an issuer is a URL with a host, without query and fragment",
      { field: `${at}.oidcClaims.iss` },
    )
  }
  return { name, at, identity: { issuer, audience, subject }, isToken: false }
}

/**
 * A token proves its identity. Claims without a token are accepted for another application id of a proven identity:
 * they must have issuer and subject of a token in the same request or of an identity that the user already has.
 */
function requireProven(requested: readonly RequestedIdentity[], user: User, context: ActivityContext): void {
  const tokens = requested.flatMap(({ identity, at, isToken }) => (isToken ? [{ token: identity, at }] : []))
  const needs = tokens.map(({ token }) => ({ issuer: token.issuer, keyId: token.jws.keyId }))
  const keys = needs.length > 0 ? context.externalFacts.issuerKeys(needs) : []
  tokens.forEach(({ token, at }, index) => {
    requireValid(token, keys[index] ?? [], context.nowMs, `${at}.oidcToken`)
  })
  const proven = [...tokens.map(({ token }) => token), ...user.oauthProviders]
  for (const { identity, at, isToken } of requested) {
    const { issuer, subject } = identity
    if (isToken || proven.some((other) => other.issuer === issuer && other.subject === subject)) continue
    throw invalidToken("no token beside these claims has their issuer and subject", `${at}.oidcClaims`)
  }
}
