// Sections "Endpoints" (shared shape), "Authentication", "Limits" and "Versioning": what belongs to no single
// operation.

export const SUBMIT_PREFIX = "/public/v1/submit/"
export const QUERY_PREFIX = "/public/v1/query/"
export const PROXY_PREFIX = "/v1/"

/** Exactly one of the two comes with every request to the core API. */
export const STAMP_HEADERS = ["X-Stamp", "X-Stamp-WebAuthn"] as const
export const PROXY_CONFIG_HEADER = "X-Auth-Proxy-Config-Id"

/** "at most 400 kb": read as 400 000 characters (C-59). */
export const MAX_SMART_CONTRACT_INTERFACE = 400_000

export const PAGINATION_LIMIT = { least: 1, most: 100, default: 10 } as const
export const INCLUDE_WALLET_DETAILS_DEFAULT = false
