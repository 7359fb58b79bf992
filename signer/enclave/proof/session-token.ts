import { createHash } from "node:crypto"
import { tokenText } from "../../core/token-text.ts"

/** Claims of a session token. The token authorizes nothing: requests are stamped with the session's key. */
export type SessionClaims = {
  /** Expiry of the session's key, Unix time in milliseconds. */
  expiresAtMs: bigint
  /** Lower-case hexadecimal, compressed P-256. */
  publicKey: string
  userId: string
  organizationId: string
  /** Scope from a session profile; undefined for a session with all rights of its user. */
  scope?: { sessionProfileId: string; name: string; condition: string } | undefined
}

/** ECDSA P-256 over SHA-256 of `message`: r(32) || s(32). */
export type SignMessage = (message: Uint8Array) => Uint8Array

const HEADER = { alg: "ES256", typ: "JWT" }

/**
 * Writes a session token (docs/formats/session.md). Published clients verify it over SHA-256(SHA-256(text)): the signed
 * message is the digest of the text, and ECDSA hashes it again. The format has no domain tag; a message of 32 bytes
 * cannot be confused with a tagged statement, which begins with its tag.
 */
export function writeSessionToken(claims: SessionClaims, sign: SignMessage): string {
  const text = tokenText(HEADER, payloadOf(claims))
  const signature = sign(createHash("sha256").update(text).digest())
  return `${text}.${Buffer.from(signature).toString("base64url")}`
}

/** Members in the order of published tokens. `exp` in whole seconds, never after the key's expiry. */
function payloadOf({ expiresAtMs, publicKey, userId, organizationId, scope }: SessionClaims) {
  return {
    exp: Number(expiresAtMs / 1000n),
    public_key: publicKey,
    session_type: scope?.name ?? "SESSION_TYPE_READ_WRITE",
    user_id: userId,
    organization_id: organizationId,
    ...(scope && { session_profile_id: scope.sessionProfileId, scope: scope.condition }),
  }
}
