/** Users of one organization: the document is read whole at each change. */
export const MAX_USERS = 100
/** Keys without expiry that one user may hold. */
export const MAX_LASTING_API_KEYS = 10
/** Keys with expiry that one user may hold, API keys and sessions together. */
export const MAX_EXPIRING_KEYS = 10
/** Passkeys that one user may hold. */
export const MAX_AUTHENTICATORS = 10
/** Identities at OIDC issuers that one user may hold. */
export const MAX_OAUTH_PROVIDERS = 10
/** Tags of users and of private keys together, in a top-level organization. */
export const MAX_TAGS_OF_PARENT = 100
/** Tags of users and of private keys together, in a sub-organization. */
export const MAX_TAGS_OF_SUB_ORGANIZATION = 10
/** How often tags may be given to private keys, over all tags: each time is an id in the document. */
export const MAX_KEY_TAGGINGS = 10_000
/** Interfaces of contracts in one organization: all their texts together are what a list of them answers. */
export const MAX_INTERFACES = 100
/** Policies of one organization. */
export const MAX_POLICIES = 100
/** Names, notes and expressions of all policies of one organization together, bytes of UTF-8. */
export const MAX_POLICY_BYTES = 256 * 1024
