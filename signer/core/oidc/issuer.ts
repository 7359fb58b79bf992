/** Far above any issuer in use; what is stored and shown stays small. */
const MAX_LENGTH = 256

/** Google leaves the scheme out of some tokens (its documentation of ID tokens, claim "iss"). */
const GOOGLE_WITHOUT_SCHEME = "accounts.google.com"

/**
 * An issuer identifier in its one form, or undefined for what is none: a URL with host and without query,
 * fragment or user (OpenID Connect Core 1.0 section 2). It is compared letter by letter, so that only spellings
 * that a URL parser would leave alone are accepted. Whether plain HTTP may be, the fetcher decides.
 */
export function canonicalIssuer(claim: string): string | undefined {
  const issuer = claim === GOOGLE_WITHOUT_SCHEME ? `https://${claim}` : claim
  if (issuer.length > MAX_LENGTH || !URL.canParse(issuer)) return undefined
  const { protocol, href, search, hash, username, password } = new URL(issuer)
  if (protocol !== "https:" && protocol !== "http:") return undefined
  if (search !== "" || hash !== "" || username !== "" || password !== "") return undefined
  return href === issuer || href === `${issuer}/` ? issuer : undefined
}

/** Where an issuer publishes its configuration (OpenID Connect Discovery 1.0 section 4). */
export function configurationUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
}
