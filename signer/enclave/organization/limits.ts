import { DEFAULT_LEEWAY_SECONDS } from "../../core/oidc/issuer.ts"

// Bounds of one organization or user. The document is read, signed and stored whole with every change.

/** Largest numbers in one organization, or of one user. Operators set them; what a document may weigh bounds them all. */
export type Limits = {
  users: number
  policies: number
  /** Tags of users and of private keys together. */
  tags: number
  sessionProfiles: number
  /** API keys without expiry of one user. */
  apiKeys: number
  /** API keys with expiry and sessions of one user, together. One more replaces the oldest. */
  expiringKeys: number
  /** Passkeys of one user. */
  authenticators: number
  /** OpenID Connect identities of one user. */
  oauthProviders: number
  /** Hours for which an activity may wait for votes; 0: without limit. */
  pendingHours: number
  /** Bytes of one secret. */
  secretBytes: number
  /** Tolerated difference between the clock of an issuer of ID tokens and the signer's, seconds. */
  tokenLeewaySeconds: number
  /** True in development: URLs of webhooks may be plain HTTP, and lead to this host's loopback addresses. */
  localWebhooks: boolean
}

export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  users: 1000,
  policies: 1000,
  tags: 1000,
  sessionProfiles: 1000,
  apiKeys: 100,
  expiringKeys: 10,
  authenticators: 100,
  oauthProviders: 100,
  pendingHours: 0,
  secretBytes: 16 * 1024,
  tokenLeewaySeconds: DEFAULT_LEEWAY_SECONDS,
  localWebhooks: false,
})

/**
 * Largest serialized document that a change may make, bytes. Two documents, a parent's and its sub-organization's, and the
 * largest body fit into one message of the Execute stream.
 */
export const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024

/** Private keys of all tags together; a key counts once for each of its tags. */
export const MAX_KEY_TAGGINGS = 10_000
/** Smart contract interfaces of one organization. A list of them returns all their texts. */
export const MAX_INTERFACES = 100
/** Templates of mails of one organization. A list of them returns all their texts. */
export const MAX_EMAIL_TEMPLATES = 20
/** Open invitations of one organization, and as many that were accepted or withdrawn. */
export const MAX_INVITATIONS = 100
/** Webhook endpoints of one organization. Every activity is compared with all of them. */
export const MAX_WEBHOOK_ENDPOINTS = 20
/** Addresses whose balances all webhook endpoints of one organization follow, those of two subscriptions counted twice. */
export const MAX_WATCHED_ADDRESSES = 500
/** Velocity controls of one organization. Each is matched with every request. */
export const MAX_VELOCITY_CONTROLS = 50
/** Names, notes and expressions of all policies of one organization together, bytes of UTF-8. */
export const MAX_POLICY_BYTES = 256 * 1024
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
