// Settings about issuers. No token is read here.

/** Tolerated difference between the issuer's and the signer's clock, seconds: without a setting, and the most that one may allow. */
export const DEFAULT_LEEWAY_SECONDS = 60
export const MAX_LEEWAY_SECONDS = 300

/** Characters: far above any issuer in use. */
const MAX_LENGTH = 256

/** Google leaves the scheme out of some tokens (its documentation of ID tokens, claim "iss"). */
const GOOGLE_WITHOUT_SCHEME = "accounts.google.com"

/**
 * An issuer identifier in its one form: a URL with host and without query, fragment or user (OpenID Connect Core 1.0 section
 * 2). Undefined for any other text. Issuers are compared letter by letter, so only spellings that a URL parser leaves unchanged
 * are accepted. The fetcher decides whether plain HTTP is allowed.
 */
export function canonicalIssuer(claim: string): string | undefined {
  const issuer = claim === GOOGLE_WITHOUT_SCHEME ? `https://${claim}` : claim
  if (issuer.length > MAX_LENGTH || !URL.canParse(issuer)) return undefined
  const { protocol, href, search, hash, username, password } = new URL(issuer)
  if (protocol !== "https:" && protocol !== "http:") return undefined
  if (search !== "" || hash !== "" || username !== "" || password !== "") return undefined
  return href === issuer || href === `${issuer}/` ? issuer : undefined
}
