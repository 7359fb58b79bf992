import { hash, type KeyObject } from "node:crypto"
import { Oauth2Provider } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { tokenText } from "../token-text.ts"
import { familyOf, type VerificationKey } from "./keys.ts"

/** Validity of a token that the service issues, seconds: a login follows at once. */
const ISSUED_TOKEN_SECONDS = 600

/** The claims of an ID token that the service issues for a user of an OAuth 2.0 provider. */
export type IssuedToken = {
  issuer: string
  /** Client id of the application at the provider. */
  audience: string
  provider: Oauth2Provider
  /** The user's id at the provider. */
  userId: string
  nonce: string
  /** Id of the token, 32 hexadecimal digits. */
  id: string
  issuedAtMs: number
  /** Address that the provider says it verified; undefined: none. */
  email: string | undefined
  /** The provider's access token, sealed; undefined: the token does not hold it. */
  encryptedBearerToken: string | undefined
}

/** Writes a token (docs/formats/id-token.md): a compact JWS with ES256 whose header names the key. */
export function writeIssuedToken(
  token: IssuedToken,
  publicKey: KeyObject,
  sign: (message: Uint8Array) => Uint8Array,
): string {
  const issuedAt = Math.floor(token.issuedAtMs / 1000)
  const header = { alg: ALGORITHM, typ: "JWT", kid: keyIdOf(publicKey) }
  const text = tokenText(header, {
    iss: token.issuer,
    sub: subjectOf(token.provider, token.userId),
    aud: token.audience,
    exp: issuedAt + ISSUED_TOKEN_SECONDS,
    iat: issuedAt,
    nonce: token.nonce,
    jti: token.id,
    ...(token.email !== undefined && { email: token.email, email_verified: true }),
    ...(token.encryptedBearerToken !== undefined && { encrypted_bearer_token: token.encryptedBearerToken }),
  })
  return `${text}.${Buffer.from(sign(Buffer.from(text))).toString("base64url")}`
}

/** Prefixes of subjects: users of two providers may have the same id. */
const PREFIXES: ReadonlyMap<Oauth2Provider, string> = new Map([
  [Oauth2Provider.X, "x:"],
  [Oauth2Provider.DISCORD, "discord:"],
])

/** The prefix of a provider's subjects; undefined: tokens are issued for none of its users. */
export function subjectPrefix(provider: Oauth2Provider): string | undefined {
  return PREFIXES.get(provider)
}

function subjectOf(provider: Oauth2Provider, userId: string): string {
  const prefix = subjectPrefix(provider)
  if (prefix === undefined) throw new Error("a token is issued for users of a known provider")
  return prefix + userId
}

const ALGORITHM = "ES256"

/** The fetcher's signing key as the service's own issuer key. No network is asked for it: the signer is paired with it. */
export function ownIssuerKey(publicKey: KeyObject): VerificationKey {
  const family = familyOf(publicKey)
  if (family !== "p256") throw new Error("the fetcher signs with P-256")
  return { keyId: keyIdOf(publicKey), algorithm: ALGORITHM, family, key: publicKey }
}

/** Path of the service's key set below its issuer. */
export const KEY_SET_PATH = "/.well-known/jwks.json"

/** The key set that the service publishes (RFC 7517 section 5). */
export function ownKeySet(publicKey: KeyObject): object {
  const { kty, crv, x, y } = publicKey.export({ format: "jwk" })
  return { keys: [{ kty, crv, x, y, kid: keyIdOf(publicKey), use: "sig", alg: ALGORITHM }] }
}

/**
 * The configuration that the service publishes (OpenID Connect Discovery 1.0 section 3). There is no endpoint for browsers:
 * tokens come from oauth2_authenticate.
 */
export function ownConfiguration(issuer: string): object {
  return {
    issuer,
    jwks_uri: issuer.replace(/\/$/, "") + KEY_SET_PATH,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [ALGORITHM],
    claims_supported: ["iss", "sub", "aud", "exp", "iat", "nonce", "jti", "email", "email_verified"],
  }
}

/** JWK thumbprint (RFC 7638): another key has another id. */
function keyIdOf(publicKey: KeyObject): string {
  const { crv, kty, x, y } = publicKey.export({ format: "jwk" })
  return hash("sha256", JSON.stringify({ crv, kty, x, y }), "base64url")
}
