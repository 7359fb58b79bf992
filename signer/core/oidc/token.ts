import type { JsonMembers } from "../../../proto/strict-json.ts"
import { chooseKey, invalidToken, isSignedBy, type Jws, readJws, readMembers } from "./jws.ts"
import type { OidcSubject } from "./identity.ts"
import type { VerificationKey } from "./keys.ts"

/** An ID token (OpenID Connect Core 1.0 section 2), decoded and not yet verified. */
export type IdToken = OidcSubject & { jws: Jws; claims: JsonMembers }

/** Tolerated difference between the issuer's and the signer's clock, seconds. */
const LEEWAY_SECONDS = 60

/** End of the year 9999, seconds: later times are no dates. */
const MAX_SECONDS = 253_402_300_799

/** Characters of "sub" (Core section 2) and, by our own choice, of "aud". */
const MAX_SUBJECT_LENGTH = 255
export const MAX_AUDIENCE_LENGTH = 256

/** Reads a token before its keys are fetched. @throws OIDC_TOKEN_INVALID without one issuer, one audience, a subject */
export function readIdToken(compact: string, field: string): IdToken {
  const jws = readJws(compact, field)
  const claims = readMembers(jws.payload, "payload", field)
  const issuer = canonicalIssuer(text(claims["iss"]))
  if (issuer === undefined) throw invalidToken("claim iss is no issuer", field)
  const audience = text(onlyOne(claims["aud"]))
  if (audience === "" || audience.length > MAX_AUDIENCE_LENGTH)
    throw invalidToken("claim aud does not name one application", field)
  const subject = text(claims["sub"])
  if (subject === "" || subject.length > MAX_SUBJECT_LENGTH)
    throw invalidToken(`claim sub is not 1 to ${MAX_SUBJECT_LENGTH} characters`, field)
  return { issuer, audience, subject, jws, claims }
}

/**
 * Checks that the issuer signed the token and that it is valid now.
 * @param keys of the token's own issuer
 * @throws OIDC_TOKEN_INVALID
 */
export function requireValid(
  { jws, claims }: IdToken,
  keys: readonly VerificationKey[],
  nowMs: number,
  field: string,
): void {
  if (!isSignedBy(jws, chooseKey(jws, keys, field))) throw invalidToken("its signature is wrong", field)
  requireTimely({ claims }, nowMs, field)
}

/** Refuses a token that is expired or not valid yet, by its own word. @throws OIDC_TOKEN_INVALID */
export function requireTimely({ claims }: Pick<IdToken, "claims">, nowMs: number, field: string): void {
  const now = nowMs / 1000
  if (expiryMsOf({ claims }, field) <= nowMs) throw invalidToken("it has expired", field)
  for (const name of ["iat", "nbf"]) {
    const begins = secondsOf(claims, name, field)
    if (begins !== undefined && begins - LEEWAY_SECONDS > now)
      throw invalidToken(`claim ${name} lies in the future`, field)
  }
}

/** Unix time in whole milliseconds from which a token is refused as expired. @throws OIDC_TOKEN_INVALID */
export function expiryMsOf({ claims }: Pick<IdToken, "claims">, field: string): number {
  const expires = secondsOf(claims, "exp", field)
  if (expires === undefined) throw invalidToken("claim exp is missing", field)
  return Math.ceil((expires + LEEWAY_SECONDS) * 1000)
}

/**
 * Text by which uses of a token are counted: header and payload as signed. The signature is left out, because everybody
 * can turn an ECDSA signature (r, s) into the valid (r, n - s).
 */
export function useIdOf({ jws }: Pick<IdToken, "jws">): string {
  return Buffer.from(jws.signingInput).toString()
}

/** An audience in a list counts only if the list has no other: with several, the intended one is unknown. */
function onlyOne(audience: unknown): unknown {
  return Array.isArray(audience) && audience.length === 1 ? (audience[0] as unknown) : audience
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** NumericDate (RFC 7519 section 2), which may have a fraction. */
function secondsOf(claims: JsonMembers, name: string, field: string): number | undefined {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value === "number" && value >= 0 && value <= MAX_SECONDS) return value
  throw invalidToken(`claim ${name} is no time`, field)
}

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
