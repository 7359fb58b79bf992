import type { OidcClaims } from "../../../proto/gen/countersign/api/v1/params_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { invalidToken } from "../../core/oidc/fault.ts"
import { canonicalIssuer } from "../../core/oidc/issuer.ts"
import { type Identity, type IdToken, readIdToken, requireValid } from "../../core/oidc/token.ts"
import { addOauthProvider } from "../organization/oauth-providers.ts"
import { requireUser } from "../organization/users.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity, ActivityContext } from "./activity.ts"

/** An identity as the requests describe it, in any of their versions. */
export type OauthProviderParameters = {
  providerName: string
  oidcToken?: string | undefined
  oidcClaims?: OidcClaims | undefined
}

export const createOauthProviders: Activity<"createOauthProvidersIntent", "createOauthProvidersResult"> = {
  run({ userId, oauthProviders }, context) {
    const user = requireUser(context.organization, userId, "parameters.userId")
    return { providerIds: addOauthProviders(user, oauthProviders, context, "parameters.oauthProviders") }
  },
}

export const createOauthProvidersV2: Activity<
  "createOauthProvidersIntentV2",
  "createOauthProvidersResultV2"
> = {
  run({ userId, oauthProviders }, context) {
    const user = requireUser(context.organization, userId, "parameters.userId")
    return { providerIds: addOauthProviders(user, oauthProviders, context, "parameters.oauthProviders") }
  },
}

/**
 * Adds identities to a user; returns their ids in order. Of the tokens that prove them nothing is kept.
 *
 * @throws REQUEST_INVALID, OIDC_TOKEN_INVALID, IDENTITY_TAKEN, LIMIT_EXCEEDED, and what asking the fetcher throws
 */
export function addOauthProviders(
  user: User,
  providers: readonly OauthProviderParameters[],
  context: ActivityContext,
  field: string,
): string[] {
  const asked = providers.map((provider, index) => readProvider(provider, `${field}[${index}]`))
  requireProven(asked, user, context)
  return asked.map(({ name, identity, at }) => {
    const providerId = context.newId()
    const { issuer, audience, subject } = identity
    addOauthProvider(context.organization, user, { providerId, name, issuer, audience, subject }, at)
    return providerId
  })
}

/** An identity that is asked for, with its token where it has one. */
type Asked = { name: string; at: string } & (
  | { identity: IdToken; isToken: true }
  | { identity: Identity; isToken: false }
)

function readProvider(
  { providerName: name, oidcToken, oidcClaims }: OauthProviderParameters,
  at: string,
): Asked {
  if ((oidcToken === undefined) === (oidcClaims === undefined)) {
    throw refuse("REQUEST_INVALID", "exactly one of oidcToken and oidcClaims is needed", { field: at })
  }
  if (oidcToken !== undefined) {
    return { name, at, identity: readIdToken(oidcToken, `${at}.oidcToken`), isToken: true }
  }
  const { iss = "", aud: audience = "", sub: subject = "" } = oidcClaims ?? {}
  const issuer = canonicalIssuer(iss)
  if (issuer === undefined) {
    throw refuse("REQUEST_INVALID", "iss is no issuer", { field: `${at}.oidcClaims.iss` })
  }
  return { name, at, identity: { issuer, audience, subject }, isToken: false }
}

/**
 * A token proves itself. What comes without one must be the same person at the same issuer, under another of his
 * application's ids, as a token beside it or an identity that the user already has.
 */
function requireProven(asked: readonly Asked[], user: User, context: ActivityContext): void {
  const tokens = asked.flatMap(({ identity, at, isToken }) => (isToken ? [{ token: identity, at }] : []))
  const needs = tokens.map(({ token }) => ({ issuer: token.issuer, keyId: token.jws.keyId }))
  const keys = needs.length > 0 ? context.outside.issuerKeys(needs) : []
  tokens.forEach(({ token, at }, index) => {
    requireValid(token, keys[index] ?? [], context.nowMs, `${at}.oidcToken`)
  })
  const proven = [...tokens.map(({ token }) => token), ...user.oauthProviders]
  for (const { identity, at, isToken } of asked) {
    const { issuer, subject } = identity
    if (isToken || proven.some((known) => known.issuer === issuer && known.subject === subject)) continue
    throw invalidToken("no token beside these claims has their issuer and subject", `${at}.oidcClaims`)
  }
}
