// Reasons of the services alone. Refusals of the signer, which the services share, are declared in
// proto/countersign/signer/v1/refusal.proto. docs/ERRORS.md and the pages at /docs/errors show both lists.

/** HTTP status, where it is fixed; meaning; what to do. Advice for operators begins with `operator:`, as in proto. */
export type ServiceReasonEntry = {
  readonly status?: number
  readonly meaning: string
  readonly remedy: string
}

const SAME_BODY = "send the same body again: it is the same activity."

export const SERVICE_REASONS = {
  PATH_UNKNOWN: {
    status: 404,
    meaning: "No operation has this path, which the sentence shows.",
    remedy:
      "`GET /docs/api` lists the paths. A path that begins with `//public/` comes from a base URL that ends with a slash, one such as `/public/v1/public/v1/…` from a base URL with a path: a base URL ends with host and port.",
  },
  METHOD_WRONG: {
    status: 405,
    meaning: "Operations are called with POST, pages with GET.",
    remedy: "use the method that the `Allow` header names.",
  },
  NOT_IMPLEMENTED: {
    status: 501,
    meaning: "The operation is declared and not part of this release.",
    remedy: "use what the sentence names instead, or a release that serves it.",
  },
  ANSWER_TOO_LARGE: {
    status: 413,
    meaning: "The signer's answer was too large. The request may have been carried out.",
    remedy: "read the activities, then request less at once.",
  },
  INVALID_ORGANIZATION_ID: {
    status: 400,
    meaning: "`organizationId` of a submit or a query is not a UUID.",
    remedy: "correct it.",
  },
  ORGANIZATION_NOT_FOUND: {
    status: 404,
    meaning: "Auth proxy: no sub-organization has this contact or credential.",
    remedy: "sign up first, or name the organization in `organizationId`.",
  },
  OAUTH2_CREDENTIAL_NOT_FOUND: {
    status: 404,
    meaning: "Auth proxy: the organization has no OAuth 2.0 credential of this client id.",
    remedy: "create it with `create_oauth2_credential`, or correct `clientId`.",
  },
  IP_ADDRESS_NOT_ALLOWED: {
    status: 403,
    meaning: "The caller's address is not on the organization's IP allowlist.",
    remedy:
      "use an address of the list. A member of the root quorum can remove the list from any address. Operator: behind a proxy, name the proxy in `COUNTERSIGN_API_TRUSTED_PROXIES`.",
  },
  IP_ALLOWLIST_EXCLUDES_CALLER: {
    status: 400,
    meaning: "`set_ip_allowlist` came with a list that does not hold the caller's own address.",
    remedy: "add the address, which the sentence names, or set `excludeCaller`.",
  },
  INVALID_OIDC_TOKEN: {
    status: 400,
    meaning: "The token is not a compact JWT with iss, sub and one aud.",
    remedy: "send the ID token as its issuer gave it; the sentence says what is missing.",
  },
  REQUEST_NOT_AUTHORIZED: {
    status: 403,
    meaning: "The caller may not do this.",
    remedy: "ask an administrator of the organization.",
  },
  UNAVAILABLE: {
    status: 503,
    meaning: "The signer or the database cannot be reached.",
    remedy: SAME_BODY,
  },
  QUERY_TIMEOUT: {
    status: 504,
    meaning: "The query waited or read for more than 8 s, or a statement of it ran for more than 5 s.",
    remedy: "ask for a smaller page, or send it again later.",
  },
  CHAIN_NOT_CONFIGURED: {
    status: 400,
    meaning: "The service reaches no node of the chain that the body names. Nothing was signed.",
    remedy: "operator: list the chain in `COUNTERSIGN_CHAINS`.",
  },
  CHAIN_UNAVAILABLE: {
    status: 503,
    meaning: "No node of the chain gave a usable answer. Nothing was signed.",
    remedy: "send the same body again.",
  },
  TRANSACTION_REVERTS: {
    status: 400,
    meaning: "The call would fail on the chain, for the reason in the sentence. Nothing was signed.",
    remedy: "correct the call; the same body may be sent again.",
  },
  AUTH_PROXY_CONFIG_MISSING: {
    status: 400,
    meaning: "Auth proxy: the request has no header `X-Auth-Proxy-Config-Id`.",
    remedy: "send the id that `get_auth_proxy_config` shows.",
  },
  AUTH_PROXY_CONFIG_UNVERIFIED: {
    status: 503,
    meaning: "Auth proxy: the configuration that the API relayed is not the signer's current one.",
    remedy: "operator: see the log; the API tier may be hostile.",
  },
  AUTH_PROXY_KEY_NOT_OPENED: {
    status: 503,
    meaning: "Auth proxy: the organization's key is sealed to another proxy.",
    remedy: "operator: pair the proxy, then have `enable_auth_proxy` called again.",
  },
  AUTH_PROXY_NEEDS_APPROVAL: {
    status: 403,
    meaning: "Auth proxy: policies make the activity wait for votes.",
    remedy: "allow it to the auth proxy's user alone.",
  },
  AUTH_METHOD_OFF: {
    status: 403,
    meaning: "Auth proxy: the organization has not switched on this way to log in.",
    remedy: "add it to `allowedAuthMethods` of the organization's auth proxy settings.",
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    meaning: "Auth proxy: the page's origin is not listed.",
    remedy: "add it to `allowedOrigins` of the organization's auth proxy settings.",
  },
  CAPTCHA_MISSING: {
    status: 400,
    meaning:
      "Auth proxy: the organization asks for a captcha, and the request has no header `X-Captcha-Token`.",
    remedy: "show the captcha of `wallet_kit_config` and send its token.",
  },
  CAPTCHA_FAILED: {
    status: 403,
    meaning: "Auth proxy: the captcha's provider did not accept the token.",
    remedy: "show the captcha again; a token is good once, and for five minutes.",
  },
  CAPTCHA_UNCONFIGURED: {
    status: 403,
    meaning: "Auth proxy: the organization asks for a captcha that this deployment does not have.",
    remedy: "operator: set `COUNTERSIGN_AUTH_PROXY_TURNSTILE_SITE_KEY` and its secret.",
  },
  CAPTCHA_UNREACHABLE: {
    status: 503,
    meaning: "Auth proxy: the captcha's provider cannot be reached.",
    remedy: "send the same request again.",
  },
  VERIFICATION_TOKEN_REQUIRED: {
    status: 403,
    meaning: "Auth proxy: look-ups by contact need a proof that the contact is the caller's.",
    remedy: "verify the contact with a one-time code, and send the verification token.",
  },
  CORE_API_UNAVAILABLE: {
    status: 503,
    meaning: "Auth proxy: the API gave no answer.",
    remedy: "send the same request again. Operator: see `/readyz` of both.",
  },
  CORE_API_REFUSED: {
    meaning: "Auth proxy: an error of the API without an identifier, passed on.",
    remedy: "do as its sentence says.",
  },
  LIST_TOO_LARGE: {
    status: 400,
    meaning: "A query without pages would answer with more than 32 MiB.",
    remedy: "use the query that the sentence names.",
  },
  DATABASE_FOREIGN: {
    status: 503,
    meaning: "The database belongs to another deployment than the signer. The sentence names both.",
    remedy: "operator: see docs/OPERATIONS.md, losses.",
  },
  SIGNER_UNREACHABLE: {
    status: 503,
    meaning: "The stream to the signer broke, also at the one repetition.",
    remedy: SAME_BODY,
  },
  ORGANIZATION_OVERLOADED: {
    status: 429,
    meaning: "Too many requests of the organization are under way.",
    remedy: "wait as `Retry-After` says and send the same body again.",
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    meaning: "The caller sent too many requests in a short time.",
    remedy: "wait as `Retry-After` says and send again.",
  },
  SERVICE_OVERLOADED: {
    status: 503,
    meaning: "The process, or all its callers that are not known yet, have too many requests under way.",
    remedy: "wait as `Retry-After` says and send the same body again.",
  },
  HTTP_MALFORMED: {
    status: 400,
    meaning: "The bytes are not well-formed HTTP/1.1: request line, lengths, chunks, a header, no Host.",
    remedy: "check the client and every proxy; the sentence says what is wrong.",
  },
  EXPECTATION_UNKNOWN: {
    status: 417,
    meaning: "The request has an `Expect` header other than 100-continue.",
    remedy: "leave it out.",
  },
  REQUEST_TIMEOUT: {
    status: 408,
    meaning: "Headers or body were not sent in time. Nothing was done.",
    remedy: "send again. The times are in docs/OPERATIONS.md, limits of the listener.",
  },
  BODIES_TOO_MANY: {
    status: 503,
    meaning: "The body was slow, and other bodies needed its memory.",
    remedy: "send the same body again.",
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    meaning: "The first line and the headers exceed 16 KiB.",
    remedy: "send fewer; a stamp needs less.",
  },
  ABANDONED: {
    status: 499,
    meaning: "The caller closed the connection.",
    remedy: "send the same body again, and wait for the reply.",
  },
} as const satisfies { readonly [reason: string]: ServiceReasonEntry }

export type ServiceReason = keyof typeof SERVICE_REASONS
