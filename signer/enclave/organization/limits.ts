// Bounds of one organization or user. The document is read, signed and stored whole with every change.

export const MAX_USERS = 100
/** API keys without expiry of one user. */
export const MAX_LASTING_API_KEYS = 10
/** API keys with expiry and sessions of one user, together. */
export const MAX_EXPIRING_KEYS = 10
/** Passkeys of one user. */
export const MAX_AUTHENTICATORS = 10
/** OpenID Connect identities of one user. */
export const MAX_OAUTH_PROVIDERS = 10
/** Tags of users and of private keys together, in a top-level organization. */
export const MAX_TAGS_OF_PARENT = 100
/** Tags of users and of private keys together, in a sub-organization. */
export const MAX_TAGS_OF_SUB_ORGANIZATION = 10
/** Private keys of all tags together; a key counts once for each of its tags. */
export const MAX_KEY_TAGGINGS = 10_000
/** Smart contract interfaces of one organization. A list of them returns all their texts. */
export const MAX_INTERFACES = 100
export const MAX_POLICIES = 100
/** Names, notes and expressions of all policies of one organization together, bytes of UTF-8. */
export const MAX_POLICY_BYTES = 256 * 1024
/** Session profiles of one organization; they cannot be deleted. */
export const MAX_SESSION_PROFILES = 100
/** Names, scopes and notes of all session profiles of one organization together, bytes of UTF-8. */
export const MAX_SESSION_PROFILE_BYTES = 128 * 1024
/** Blocks of one address family in one IP allowlist. */
export const MAX_IP_BLOCKS_PER_FAMILY = 10
/** Shortest prefix of a block in an IP allowlist, by the number of bits of the family's addresses. */
export const WIDEST_IP_BLOCKS = { 32: 20, 128: 48 } as const
/** API keys of one organization with an IP allowlist of their own. */
export const MAX_KEY_IP_ALLOWLISTS = 100
/** MFA policies of one user. */
export const MAX_MFA_POLICIES = 10
/** Names, notes, conditions and credential ids of all MFA policies of one organization together, bytes of UTF-8. */
export const MAX_MFA_POLICY_BYTES = 256 * 1024
