import type { JsonMembers } from "../../../proto/strict-json.ts"
import { invalidToken, isSigned, type Jws, readJws, readMembers } from "./jws.ts"
import type { OidcSubject } from "./identity.ts"
import { canonicalIssuer, MAX_LEEWAY_SECONDS } from "./issuer.ts"
import type { VerificationKey } from "./keys.ts"

/** An ID token (OpenID Connect Core 1.0 section 2), decoded and not yet verified. */
export type IdToken = OidcSubject & { jws: Jws; claims: JsonMembers }

/** The signer's time, Unix milliseconds, and the tolerated difference. */
export type TokenClock = { nowMs: number; leewaySeconds: number }

/** End of the year 9999, seconds: later times are no dates. */
const MAX_SECONDS = 253_402_300_799

/** Characters of "sub" (Core section 2) and, by our own choice, of "aud". */
const MAX_SUBJECT_LENGTH = 255
export const MAX_AUDIENCE_LENGTH = 256

/** Reads a token before its keys are fetched. @throws OIDC_TOKEN_INVALID without one issuer, one application, a subject */
export function readIdToken(compact: string, field: string): IdToken {
  const jws = readJws(compact, field)
  const claims = readMembers(jws.payload, "payload", field)
  const issuer = canonicalIssuer(text(claims["iss"]))
  if (issuer === undefined) throw invalidToken("claim iss is no issuer", field)
  const audience = applicationOf(claims)
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
  clock: TokenClock,
  field: string,
): void {
  if (!isSigned(jws, keys, field)) throw invalidToken("its signature is wrong", field)
  requireTimely({ claims }, clock, field)
}

/** Refuses a token that is expired or not valid yet, by its own word. @throws OIDC_TOKEN_INVALID */
export function requireTimely(
  { claims }: Pick<IdToken, "claims">,
  { nowMs, leewaySeconds }: TokenClock,
  field: string,
): void {
  const now = nowMs / 1000
  if (expiryOf(claims, field) + leewaySeconds <= now) throw invalidToken("it has expired", field)
  for (const name of ["iat", "nbf"]) {
    const begins = secondsOf(claims, name, field)
    if (begins !== undefined && begins - leewaySeconds > now)
      throw invalidToken(`claim ${name} lies in the future`, field)
  }
}

/**
 * Unix time in whole milliseconds from which a token is refused as expired under every setting: a use of it is remembered
 * for as long.
 * @throws OIDC_TOKEN_INVALID
 */
export function lastExpiryMsOf({ claims }: Pick<IdToken, "claims">, field: string): number {
  return Math.ceil((expiryOf(claims, field) + MAX_LEEWAY_SECONDS) * 1000)
}

function expiryOf(claims: JsonMembers, field: string): number {
  const expires = secondsOf(claims, "exp", field)
  if (expires === undefined) throw invalidToken("claim exp is missing", field)
  return expires
}

/**
 * Text by which uses of a token are counted: header and payload as signed. The signature is left out, because everybody
 * can turn an ECDSA signature (r, s) into the valid (r, n - s).
 */
export function useIdOf({ jws }: Pick<IdToken, "jws">): string {
  return Buffer.from(jws.signingInput).toString()
}

/**
 * The application that a token is for (Core section 2): its only audience, or with several the authorized party, which must
 * be one of them. "" for none.
 */
function applicationOf({ aud, azp }: JsonMembers): string {
  const audiences = Array.isArray(aud) ? (aud as readonly unknown[]) : [aud]
  if (!audiences.every((one) => typeof one === "string" && one !== "")) return ""
  const [first, ...others] = audiences as readonly string[]
  if (others.length === 0) return text(first)
  return typeof azp === "string" && audiences.includes(azp) ? azp : ""
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
