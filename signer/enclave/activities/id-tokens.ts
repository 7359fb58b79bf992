import { requireApplication } from "../../core/oidc/applications.ts"
import { type IdToken, requireTimely, requireValid } from "../../core/oidc/token.ts"
import type { ActivityContext } from "./activity.ts"

/** ID tokens with the paths of their members. */
type NamedTokens = readonly { token: IdToken; at: string }[]

/**
 * Verifies tokens with the keys of their issuers.
 * @throws OIDC_APPLICATION_NOT_ALLOWED, OIDC_TOKEN_INVALID, FETCHER_NOT_PAIRED, STATEMENT_INVALID
 */
export function requireValidTokens(
  tokens: NamedTokens,
  { nowMs, issuer, settings, organization }: ActivityContext<["issuer", "settings"]>,
): void {
  const clock = { nowMs, leewaySeconds: organization.limits.tokenLeewaySeconds }
  for (const { token, at } of tokens) requireApplication([settings.own, settings.governing], token, at)
  // Before the issuer is asked: a token that waited for votes must not wait for an issuer that is gone.
  for (const { token, at } of tokens) requireTimely(token, clock, at)
  const needs = tokens.map(({ token }) => ({ issuer: token.issuer, keyId: token.jws.keyId }))
  const keys = needs.length > 0 ? issuer.keys(needs) : []
  tokens.forEach(({ token, at }, index) => {
    requireValid(token, keys[index] ?? [], clock, at)
  })
}
