import { compressP256, p256PublicKey, uncompressP256 } from "../../../core/crypto/p256.ts"
import { requireApplication } from "../../../core/oidc/applications.ts"
import { subjectPrefix } from "../../../core/oidc/issued-token.ts"
import { readIdToken } from "../../../core/oidc/token.ts"
import { Refusal, refuse } from "../../../core/refusal.ts"
import type { Activity, ActivityContext } from "../../activities/activity.ts"
import type { CodeToExchange } from "../../activities/powers/fetched.ts"
import { requireValidTokens } from "../../activities/id-tokens.ts"
import { openCredential } from "./oauth2-credentials.ts"

const TARGET = "parameters.bearerTokenTargetPublicKey"
const COMPRESSED_LENGTH = 33

const needs = ["issuer", "oauth2", "settings"] as const

/**
 * Has the fetcher exchange a code of an OAuth 2.0 provider, with the client secret that it alone can open. The result is
 * an ID token of this service. It opens nothing by itself: a login takes it for the one key that its nonce names.
 */
export const oauth2Authenticate: Activity<"oauth2Authenticate", typeof needs> = {
  needs,
  check({ nonce, bearerTokenTargetPublicKey }) {
    requireKeyHash(nonce)
    readTarget(bearerTokenTargetPublicKey)
  },
  /**
   * @throws RESOURCE_UNKNOWN, RECORD_DELETED, TARGET_KEY_INVALID, OAUTH2_NONCE_INVALID, OAUTH2_ISSUER_UNCONFIGURED, OIDC_APPLICATION_NOT_ALLOWED, OAUTH2_REFUSED, CLIENT_SECRET_INVALID,
   *   CLIENT_SECRET_OF_ANOTHER_ORGANIZATION, FETCHER_NOT_PAIRED, STATEMENT_INVALID
   */
  run({ oauth2CredentialId, bearerTokenTargetPublicKey, ...parameters }, context) {
    const { credential } = openCredential(oauth2CredentialId, context)
    const { oauth2, settings } = context
    // Before the provider is asked: a code that becomes a useless token is lost.
    const identity = { issuer: oauth2.issuer(), audience: credential.clientId }
    requireApplication([settings.own, settings.governing], identity, "parameters.oauth2CredentialId")
    const code = {
      provider: credential.provider,
      clientId: credential.clientId,
      sealedSecret: Buffer.from(credential.encryptedClientSecret, "hex"),
      authCode: parameters.authCode,
      redirectUri: parameters.redirectUri,
      codeVerifier: parameters.codeVerifier,
      nonce: parameters.nonce,
      bearerTokenTarget: readTarget(bearerTokenTargetPublicKey),
    }
    const oidcToken = oauth2.exchange(code)
    requireTokenOf(code, oidcToken, context)
    return { oidcToken }
  },
}

/** Published clients send the hash of the session's key. A token with another nonce would open nothing. */
function requireKeyHash(nonce: string): void {
  if (/^[0-9a-f]{64}$/.test(nonce)) return
  const sentence = "parameters.nonce: expected the lower-case hex SHA-256 of the session's public key as text"
  throw refuse("OAUTH2_NONCE_INVALID", sentence, { field: "parameters.nonce" })
}

/** The key to seal the access token to, compressed; empty: none was named. Clients write points in both forms. */
function readTarget(digits: string | undefined): Uint8Array {
  if (digits === undefined) return new Uint8Array(0)
  const bytes = Uint8Array.from(Buffer.from(digits, "hex"))
  const point = bytes.length === COMPRESSED_LENGTH ? uncompressP256(bytes) : bytes
  if (point !== undefined && p256PublicKey(point) !== undefined) return Uint8Array.from(compressP256(point))
  const sentence = `${TARGET}: expected a point of P-256 in 66 or 130 hexadecimal digits`
  throw refuse("TARGET_KEY_INVALID", sentence, { field: TARGET })
}

/** The token is this service's, for this application, provider and nonce. @throws STATEMENT_INVALID */
function requireTokenOf(code: CodeToExchange, compact: string, context: ActivityContext<typeof needs>): void {
  const field = "parameters.authCode"
  try {
    const token = readIdToken(compact, field)
    const { issuer, audience, subject, claims } = token
    const prefix = subjectPrefix(code.provider)
    const isOfProvider = prefix !== undefined && subject.startsWith(prefix)
    const isOfApplication = issuer === context.oauth2.issuer() && audience === code.clientId
    if (isOfProvider && isOfApplication && claims["nonce"] === code.nonce)
      return requireValidTokens([{ token, at: field }], context)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  throw refuse(
    "STATEMENT_INVALID",
    "a statement of the fetcher cannot be accepted: its token is not about this login",
  )
}
