import { createHash, type KeyObject, verify } from "node:crypto"
import { type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { tokenText } from "../token-text.ts"
import { readUuid } from "../uuid.ts"

/** A user who may read their organization. A holder of the session's text reads as that user. */
export type ReadOnlySession = {
  organizationId: string
  userId: string
  /** Name of the credential that opened the session. The session ends with it. */
  credential: string
  /** Unix time, milliseconds; the text has whole seconds. */
  openedAtMs: number
  /** Unix time, milliseconds; the text has whole seconds. */
  expiresAtMs: number
}

/** ECDSA P-256 over SHA-256 of `message`: r(32) || s(32). */
type SignMessage = (message: Uint8Array) => Uint8Array

/** Explicit type (RFC 8725 section 3.11). Tokens of logins are no secrets, and their claims contain the name of a profile. */
const HEADER = { alg: "ES256", typ: "read-only-session+jwt" }
const HEADER_SEGMENT = Buffer.from(JSON.stringify(HEADER)).toString("base64url")
const TYPE = "SESSION_TYPE_READ_ONLY"

/** The longest name of a credential, a passkey's, has 1,400 characters. */
const MAX_LENGTH = 4096

/** Writes the text of a session (docs/formats/session.md): claims and signature of a session token, in another type. */
export function writeReadOnlySession(session: ReadOnlySession, sign: SignMessage): string {
  const text = tokenText(HEADER, {
    exp: Math.floor(session.expiresAtMs / 1000),
    public_key: session.credential,
    session_type: TYPE,
    user_id: session.userId,
    organization_id: session.organizationId,
    iat: Math.floor(session.openedAtMs / 1000),
  })
  return `${text}.${Buffer.from(sign(digestOf(text))).toString("base64url")}`
}

/**
 * Reads the text of a session that the notarizer signed and that has not expired. The caller also checks that its user still
 * has the credential.
 * @throws READ_ONLY_SESSION_INVALID, READ_ONLY_SESSION_EXPIRED
 */
export function requireReadOnlySession(text: string, notarizer: KeyObject, nowMs: number): ReadOnlySession {
  const [header, payload, signature] = requireSessionForm(text)
  const bytes = Buffer.from(signature, "base64url")
  const isCanonical = bytes.length === 64 && bytes.toString("base64url") === signature
  const key = { key: notarizer, dsaEncoding: "ieee-p1363" } as const
  if (!isCanonical || !verify("sha256", digestOf(`${header}.${payload}`), key, bytes))
    throw invalid("the signer of this deployment did not sign it")
  const session = readClaims(Buffer.from(payload, "base64url"))
  if (session.expiresAtMs > nowMs) return session
  throw refuse(
    "READ_ONLY_SESSION_EXPIRED",
    "expired read-only session: open another with create_read_only_session",
  )
}

/** The header, claims and signature of a session's text, none of them verified. @throws READ_ONLY_SESSION_INVALID */
export function requireSessionForm(text: string): [header: string, payload: string, signature: string] {
  const [header = "", payload = "", signature = "", ...more] = text.length > MAX_LENGTH ? [] : text.split(".")
  if (header !== HEADER_SEGMENT || more.length > 0) throw invalid("it is no such text")
  return [header, payload, signature]
}

/** As for session tokens: the message that is signed is the digest of the text. */
function digestOf(text: string): Uint8Array {
  return createHash("sha256").update(text).digest()
}

function readClaims(payload: Uint8Array): ReadOnlySession {
  const claims = readJsonObject(payload, (reason, cause) => invalid(`its payload ${reason}`, cause))
  const organizationId = readUuid(textOf(claims, "organization_id"))
  const userId = readUuid(textOf(claims, "user_id"))
  const credential = textOf(claims, "public_key")
  const { exp, iat } = claims
  const isComplete = organizationId !== undefined && userId !== undefined && credential !== ""
  if (!isComplete || typeof exp !== "number" || typeof iat !== "number" || claims["session_type"] !== TYPE)
    throw invalid("its claims are not those of a read-only session")
  return { organizationId, userId, credential, openedAtMs: iat * 1000, expiresAtMs: exp * 1000 }
}

function textOf(claims: JsonMembers, name: string): string {
  const value = claims[name]
  return typeof value === "string" ? value : ""
}

/** `why` repeats nothing of the text, which may be a secret. */
function invalid(why: string, cause?: unknown): Refusal {
  return refuse("READ_ONLY_SESSION_INVALID", `invalid read-only session in X-Session: ${why}`, { cause })
}
