import { otherLogins, socialLogins } from "./auth-methods.ts"
import type { Configuration } from "./configurations.ts"

/** Settings that a login page shows, as published clients read them: numbers are strings. */
export function walletKitConfig({ organizationId, settings }: Configuration): object {
  const { walletKitSettings, sessionExpirationSeconds, otpAlphanumeric, otpLength } = settings
  const { oauthClientIds = {}, oauthRedirectUrl } = walletKitSettings ?? {}
  return {
    enabledProviders: [...socialLogins(settings), ...otherLogins(settings)],
    sessionExpirationSeconds: String(sessionExpirationSeconds),
    organizationId,
    oauthClientIds,
    ...(oauthRedirectUrl !== undefined && { oauthRedirectUrl }),
    otpAlphanumeric,
    otpLength: String(otpLength),
  }
}
