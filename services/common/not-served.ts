const LOG_IN = "log in with stamp_login, otp_login or oauth_login"
const POLL = "poll list_activities"
const RECOVER = "a root member adds a credential with create_authenticators or create_api_keys"

/** Replacements, by path, for operations that this release does not serve. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ...each(LOG_IN, "email_auth"),
  ...each(RECOVER, "init_user_email_recovery recover_user"),
  ...each(POLL, "create_webhook_endpoint update_webhook_endpoint delete_webhook_endpoint"),
  ...each(POLL, "list_webhook_endpoints"),
])

/** Undefined for an operation that is served. */
export function replacementFor(path: string): string | undefined {
  return REPLACEMENTS.get(path)
}

function each(sentence: string, paths: string): [string, string][] {
  return paths.split(" ").map((path) => [path, sentence])
}
