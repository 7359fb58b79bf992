import { otherLogins, socialLogins } from "./auth-methods.ts"
import { requireList } from "./core-api.ts"
import { OAUTH2_METHODS } from "./oauth2-authenticate.ts"
import type { ProxyRequest } from "./proxy-request.ts"

/**
 * Settings that a login page shows, as published clients read them: numbers are strings. Ways to log in that cannot work are
 * left out: a page shows a button for each.
 */
export async function walletKitConfig(
  request: Pick<ProxyRequest, "configuration" | "organization">,
): Promise<object> {
  const { organizationId, settings, unusableMethods } = request.configuration
  const { walletKitSettings, sessionExpirationSeconds, otpAlphanumeric, otpLength } = settings
  const { oauthClientIds = {}, oauthRedirectUrl } = walletKitSettings ?? {}
  const enabled = [...socialLogins(settings), ...otherLogins(settings)].filter(
    (method) => !unusableMethods.includes(method),
  )
  return {
    enabledProviders: await withCredentials(enabled, request),
    sessionExpirationSeconds: String(sessionExpirationSeconds),
    organizationId,
    oauthClientIds,
    ...(oauthRedirectUrl !== undefined && { oauthRedirectUrl }),
    otpAlphanumeric,
    otpLength: String(otpLength),
  }
}

/** The methods without OAuth 2.0 providers for which the organization has no credential. */
async function withCredentials(
  methods: readonly string[],
  { organization }: Pick<ProxyRequest, "organization">,
): Promise<readonly string[]> {
  const providers = Object.entries(OAUTH2_METHODS)
  if (!providers.some(([, method]) => methods.includes(method))) return methods
  const reply = await organization.query("list_oauth2_credentials", {})
  const credentials = requireList(reply, "oauth2Credentials") as { provider: string }[]
  const held = new Set(credentials.map(({ provider }) => provider))
  const missing = providers.filter(([provider]) => !held.has(provider)).map(([, method]) => method)
  return methods.filter((method) => !missing.includes(method))
}
