const LOG_IN = "log in with stamp_login, otp_login or oauth_login"
const POLL = "poll list_activities"
const RECOVER = "a root member adds a credential with create_authenticators or create_api_keys"

/** Replacements, by path, for operations that this release does not serve. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ...each("create the user with create_users", "create_invitations delete_invitation"),
  ...each(LOG_IN, "oauth2_authenticate email_auth"),
  ...each(RECOVER, "init_user_email_recovery recover_user"),
  ...each(POLL, "create_webhook_endpoint update_webhook_endpoint delete_webhook_endpoint"),
  ...each(POLL, "list_webhook_endpoints"),
])

/** Undefined for an operation that is served. */
export function replacementFor(path: string): string | undefined {
  return REPLACEMENTS.get(path)
}

/** The same for every operation of the auth proxy that is not served: the exchange of a provider's code for a token. */
export const PROXY_REPLACEMENT = "call oauth_login with an ID token of an OpenID provider"

function each(sentence: string, paths: string): [string, string][] {
  return paths.split(" ").map((path) => [path, sentence])
}
