/** Kinds of things that have names: the query that lists them, and the members that hold ids and names. */
export const KINDS = {
  user: list("list_users", "users", "userId", "user", ["userName", "userEmail"]),
  tag: list("list_user_tags", "userTags", "tagId", "tag", ["tagName"]),
  "private-key-tag": list("list_private_key_tags", "privateKeyTags", "tagId", "tag", ["tagName"]),
  wallet: list("list_wallets", "wallets", "walletId", "wallet", ["walletName"]),
  account: list("list_wallet_accounts", "accounts", "walletAccountId", "account", ["name", "address"]),
  policy: list("list_policies", "policies", "policyId", "policy", ["policyName"]),
  "private-key": list("list_private_keys", "privateKeys", "privateKeyId", "private key", ["privateKeyName"]),
  interface: list(
    "list_smart_contract_interfaces",
    "smartContractInterfaces",
    "smartContractInterfaceId",
    "interface",
    ["label", "smartContractAddress"],
  ),
  key: list("get_api_keys", "apiKeys", "apiKeyId", "API key", ["apiKeyName"]),
  passkey: list("get_authenticators", "authenticators", "authenticatorId", "passkey", ["authenticatorName"]),
  "session-profile": list("get_session_profiles", "sessionProfiles", "sessionProfileId", "session profile", [
    "sessionProfileName",
  ]),
} as const satisfies { readonly [kind: string]: Listing }

export type Kind = keyof typeof KINDS

export type Listing = {
  /** Query path. */
  query: string
  /** Member of the reply that holds the list. */
  member: string
  id: string
  /** One of them, in words. */
  noun: string
  /** Members that hold names. */
  names: readonly string[]
}

function list(query: string, member: string, id: string, noun: string, names: readonly string[]): Listing {
  return { query, member, id, noun, names }
}
