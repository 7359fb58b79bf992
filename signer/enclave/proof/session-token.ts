import { createHash } from "node:crypto"
import { tokenText } from "./token-text.ts"

/** What a session token says. It opens nothing: requests are stamped with the session's key. */
export type SessionClaims = {
  /** Unix time from which on the session's key no longer stamps, milliseconds. */
  expiresAtMs: bigint
  /** Lower-case hexadecimal, compressed P-256. */
  publicKey: string
  userId: string
  organizationId: string
  /** What a session profile confines the session to; undefined: no more than its user is confined to. */
  scope?: { sessionProfileId: string; name: string; condition: string } | undefined
}

/** ECDSA P-256 over SHA-256 of the message, which is hashed there: r(32) || s(32). */
export type SignMessage = (message: Uint8Array) => Uint8Array

const HEADER = { alg: "ES256", typ: "JWT" }

/**
 * Session token, docs/formats/session.md. Published clients verify it over SHA-256(SHA-256(text)): the message that
 * is signed is the digest of the text, and ECDSA hashes it once more. It carries no domain tag, for they know none;
 * its 32 bytes cannot be taken for a tagged statement, which begins with its tag.
 */
export function writeSessionToken(claims: SessionClaims, sign: SignMessage): string {
  const text = tokenText(HEADER, payloadOf(claims))
  const signature = sign(createHash("sha256").update(text).digest())
  return `${text}.${Buffer.from(signature).toString("base64url")}`
}

/** In the order of published tokens. Whole seconds, never later than the key's own end. */
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
