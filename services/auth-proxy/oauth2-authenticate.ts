import { ApiError, GrpcCode } from "../common/api-error.ts"
import { requireSocialLogin } from "./auth-methods.ts"
import { requireList, requireObject } from "./core-api.ts"
import type { ProxyRequest } from "./proxy-request.ts"

type Json = { readonly [member: string]: unknown }

/** Names of providers in the settings. */
export const OAUTH2_METHODS: { readonly [provider: string]: string } = {
  OAUTH2_PROVIDER_X: "x",
  OAUTH2_PROVIDER_DISCORD: "discord",
}

/**
 * Exchanges a code of an OAuth 2.0 provider for an ID token of the service, with the organization's credential for this
 * provider and client id.
 *
 * @throws ApiError 403, 404, 503; CoreRefusal
 */
export async function oauth2Authenticate({
  clean,
  configuration: { settings },
  organization,
}: ProxyRequest): Promise<object> {
  const { provider, clientId, authCode, redirectUri, codeVerifier, nonce } = clean
  requireSocialLogin(settings, OAUTH2_METHODS[String(provider)] ?? String(provider))
  const reply = await organization.query("list_oauth2_credentials", {})
  const credential = (requireList(reply, "oauth2Credentials") as Json[]).find(
    (one) => one["provider"] === provider && one["clientId"] === clientId,
  )
  if (credential === undefined) throw noCredential(String(provider))
  const { oauth2CredentialId } = credential
  const parameters = { oauth2CredentialId, authCode, redirectUri, codeVerifier, nonce }
  const type = "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE"
  const { result } = await organization.submit("oauth2_authenticate", type, parameters)
  return requireObject(result, "oauth2AuthenticateResult")
}

function noCredential(provider: string): ApiError {
  return new ApiError(
    GrpcCode.notFound,
    `the organization has no OAuth 2.0 credential of ${provider} for this clientId: create_oauth2_credential makes one`,
    { publicCode: "OAUTH2_CREDENTIAL_NOT_FOUND", field: "clientId" },
  )
}
