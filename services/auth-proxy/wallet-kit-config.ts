import type { Configuration } from "./configurations.ts"

const SOCIAL = ["google", "apple", "facebook", "x", "discord"]

/** Settings that a login page shows, as published clients read them: numbers are strings. */
export function walletKitConfig({ organizationId, settings }: Configuration): object {
  const { allowedAuthMethods, walletKitSettings, sessionExpirationSeconds, otpAlphanumeric, otpLength } =
    settings
  const { enabledSocialProviders = [], oauthClientIds = {}, oauthRedirectUrl } = walletKitSettings ?? {}
  const social = SOCIAL.filter((name) => [...allowedAuthMethods, ...enabledSocialProviders].includes(name))
  const others = allowedAuthMethods.filter((name) => !SOCIAL.includes(name))
  return {
    enabledProviders: [...social, ...others],
    sessionExpirationSeconds: String(sessionExpirationSeconds),
    organizationId,
    oauthClientIds,
    ...(oauthRedirectUrl !== undefined && { oauthRedirectUrl }),
    otpAlphanumeric,
    otpLength: String(otpLength),
  }
}
