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
/** Session profiles of one organization; none ever leaves. */
export const MAX_SESSION_PROFILES = 100
/** Names, scopes and notes of all session profiles of one organization together, bytes of UTF-8. */
export const MAX_SESSION_PROFILE_BYTES = 128 * 1024
/** Blocks of one address family in one IP allowlist. */
export const MAX_IP_BLOCKS_PER_FAMILY = 10
/** Shortest prefix of a block in an IP allowlist, by the bits of its family's addresses. */
export const WIDEST_IP_BLOCKS = { 32: 20, 128: 48 } as const
/** API keys with an IP allowlist of their own, in one organization. */
export const MAX_KEY_IP_ALLOWLISTS = 100
/** MFA policies that one user may have. */
export const MAX_MFA_POLICIES = 10
/** Names, notes, conditions and ids of all MFA policies of one organization together, bytes of UTF-8. */
export const MAX_MFA_POLICY_BYTES = 256 * 1024
