// Every place where the interface document says "not shown", "unspecified" or "not listed", by section, in the
// document's order. Each id has a section in docs/choices. Its heading must contain the words, so that a section
// cannot come to describe another point.

export type OpenPoint = { id: string; section: string; words: readonly string[] }

const point = (id: string, section: string, ...words: string[]): OpenPoint => ({ id, section, words })

export const openPoints: readonly OpenPoint[] = [
  point("C-01", "Resources", "identifiers"),
  point("C-02", "Resources", "user"),
  point("C-03", "Resources", "user tag"),
  point("C-04", "Resources", "private key"),
  point("C-05", "Resources", "policy"),
  point("C-06", "Resources", "organization"),
  point("C-07", "Resources", "vote"),

  point("C-08", "States and transitions", "status"),
  point("C-09", "States and transitions", "canApprove", "canReject"),
  point("C-10", "States and transitions", "exported", "imported"),
  point("C-11", "States and transitions", "Transitions"),

  point("C-12", "Endpoints", "condition", "consensus"),
  point("C-13", "Endpoints", "r, s and v"),
  point("C-14", "Endpoints", "sent transaction"),
  point("C-15", "Endpoints", "Required parameters", "create_sub_organization"),
  point("C-16", "Endpoints", "Required parameters", "import_wallet"),
  point("C-17", "Endpoints", "Required parameters", "import_private_key"),
  point("C-18", "Endpoints", "Required parameters", "create_policies"),
  point("C-20", "Endpoints", "Required parameters", "init_fiat_on_ramp"),
  point("C-19", "Endpoints", "Result fields", "create_users"),
  point("C-21", "Endpoints", "value lists", "on-ramp"),
  point("C-22", "Endpoints", "proxy body fields"),
  point("C-23", "Endpoints", "OTP type"),
  point("C-24", "Endpoints", "filterType"),

  point("C-25", "Authentication", "stamp"),
  point("C-26", "Authentication", "Which user", "activity"),

  point("C-27", "Events", "delivery request"),
  point("C-28", "Events", "Retries"),
  point("C-29", "Events", "Ordering"),
  point("C-30", "Events", "kinds of events"),

  point("C-31", "Errors", "Error body", "status codes", "identifiers"),
  point("C-32", "Errors", "origin"),
  point("C-33", "Errors", "X-Auth-Proxy-Config-Id"),
  point("C-34", "Errors", "missing stamp"),

  point("C-35", "Limits", "Rate limits"),
  point("C-36", "Limits", "size limits"),
  point("C-37", "Limits", "timestampMs"),
  point("C-38", "Limits", "one-time codes"),

  point("C-39", "Versioning", "Deprecation"),
]

/** Places where the document contradicts itself, or is silent without saying so. */
export const ambiguities: readonly OpenPoint[] = [
  point("C-50", "Activity", "sample reply"),
  point("C-51", "Activity", "createdAt"),
  point("C-52", "Activity", "result"),
  point("C-53", "Shared shape", "Required fields"),
  point("C-54", "Shared shape", "Unknown members"),
  point("C-55", "Shared shape", "intent"),
  point("C-56", "Versioning", "Newer versions"),
  point("C-57", "Shared enumerations", "Lists"),
  point("C-58", "OAuth 2.0 credential", "providers"),
  point("C-59", "Limits", "400 kb"),
  point("C-60", "create_users", "credentialId"),
  point("C-61", "create_smart_contract_interface", "Requiredness"),
  point("C-62", "set_organization_feature", "Requiredness"),
  point("C-63", "Pagination options", "cursors"),
  point("C-64", "Pagination options", "limit"),
  point("C-65", "create_sub_organization", "wallet"),
  point("C-66", "Authentication proxy", "public_key"),
  point("C-67", "Authentication proxy", "client_signature"),
  point("C-68", "Authentication proxy", "signup"),
  point("C-69", "Authentication proxy", "account"),
  point("C-70", "Authentication proxy", "enabledProviders"),
  point("C-71", "Authentication", "Origin"),
  point("C-72", "Authentication", "stamp headers"),
  point("C-73", "Shared shape", "Content-Type"),
  point("C-74", "sign_raw_payload", "hashFunction"),
  point("C-75", "sign_raw_payload", "signWith"),
  point("C-80", "init_fiat_on_ramp", "fiatCurrencyAmount"),
  point("C-84", "Authentication", "Session length"),
]
