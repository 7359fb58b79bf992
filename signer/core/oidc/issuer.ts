import { readJsonObject } from "../../../proto/strict-json.ts"
import type { Refusal } from "../refusal.ts"
import { invalidIssuer } from "./fault.ts"

/** Characters: far above any issuer in use. */
const MAX_LENGTH = 256

/** Google leaves the scheme out of some tokens (its documentation of ID tokens, claim "iss"). */
const GOOGLE_WITHOUT_SCHEME = "accounts.google.com"

/**
 * An issuer identifier in its one form: a URL with host and without query, fragment or user (OpenID Connect Core 1.0
 * section 2); undefined for any other text. Issuers are compared letter by letter, so only spellings that a URL parser
 * leaves unchanged are accepted. The fetcher decides whether plain HTTP is allowed.
 */
export function canonicalIssuer(claim: string): string | undefined {
  const issuer = claim === GOOGLE_WITHOUT_SCHEME ? `https://${claim}` : claim
  if (issuer.length > MAX_LENGTH || !URL.canParse(issuer)) return undefined
  const { protocol, href, search, hash, username, password } = new URL(issuer)
  if (protocol !== "https:" && protocol !== "http:") return undefined
  if (search !== "" || hash !== "" || username !== "" || password !== "") return undefined
  return href === issuer || href === `${issuer}/` ? issuer : undefined
}

/** URL of an issuer's configuration (OpenID Connect Discovery 1.0 section 4). */
export function configurationUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`
}

/**
 * Reads a provider's configuration (OpenID Connect Discovery 1.0 section 4.2) and returns the URL of its keys.
 *
 * @param issuer as the token names it: the configuration must name the same issuer (section 4.3), or any host could
 *   answer for any issuer
 * @throws ISSUER_INVALID
 */
export function readKeysUrl(document: Uint8Array, issuer: string): URL {
  const { issuer: named, jwks_uri: url } = readJsonObject(document, unreadable)
  if (named !== issuer) throw invalidIssuer("it names another issuer")
  if (typeof url !== "string" || !URL.canParse(url)) throw invalidIssuer("it does not say where its keys are")
  return new URL(url)
}

function unreadable(reason: string, cause?: unknown): Refusal {
  return invalidIssuer(`it ${reason}`, cause)
}
