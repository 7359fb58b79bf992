import { type KeyObject, verify } from "node:crypto"
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import { tokenText } from "../token-text.ts"
import { uncompressP256 } from "../crypto/p256.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { readUuid } from "../uuid.ts"
import { isSameContact } from "./same-contact.ts"

/** The claims of a verification token: somebody could read what was sent to the contact. */
export type VerificationToken = {
  /** UUID by which uses of the token are counted. */
  id: string
  /** Organization that verified the contact. */
  organizationId: string
  channel: OtpType
  /** The contact, as it was spelt when the code was asked for. */
  contact: string
  /** Key whose holder may use the token, compressed, lower-case hexadecimal; undefined: every holder of the token may. */
  publicKey: string | undefined
  /** Unix time, milliseconds. */
  expiresAtMs: number
  /** True if the code came back sealed to the fetcher: nobody between the user and the fetcher read it. */
  isSealed: boolean
}

/** ECDSA P-256 over SHA-256 of `message`: r(32) || s(32). */
type SignMessage = (message: Uint8Array) => Uint8Array

/** Headers of tokens for codes that came sealed, and in clear. Their members say the same, in different orders. */
const SEALED_HEADER = { typ: "JWT", alg: "ES256" }
const PLAIN_HEADER = { alg: "ES256", typ: "JWT" }

/**
 * Writes a verification token as published clients read it (docs/formats/otp.md): a compact JWS with ES256 (RFC 7515,
 * RFC 7518 section 3.4), the members of its payload in this order, all of them text, the expiry in milliseconds.
 */
export function writeVerificationToken(token: VerificationToken, sign: SignMessage): string {
  const text = tokenText(token.isSealed ? SEALED_HEADER : PLAIN_HEADER, {
    exp: String(token.expiresAtMs),
    id: token.id,
    organization_id: token.organizationId,
    verification_type: [...CHANNELS].find(([, channel]) => channel === token.channel)?.[0],
    contact: token.contact,
    ...(token.publicKey !== undefined && { public_key: token.publicKey }),
  })
  return `${text}.${Buffer.from(sign(Buffer.from(text))).toString("base64url")}`
}

/** A token whose claims were read, and whose signature and times were not verified. */
export type UnverifiedToken = {
  readonly claims: VerificationToken
  readonly signed: Uint8Array
  readonly signature: Uint8Array
}

/** The fetcher that signed a token, and the time. */
export type Genuineness = { fetcherKey: KeyObject; nowMs: number; field: string }

/** As Genuineness, with the organizations that a token counts in. */
export type TokenTerms = Genuineness & {
  /** The organization that the token is used in, and its parent if it has one. No other organization's token counts. */
  organizationIds: readonly string[]
}

/**
 * Reads a token that the paired fetcher signed, that is not expired, and that one of the organizations verified. The caller
 * also compares its contact and channel with the user's, and has a bound key sign.
 * @throws VERIFICATION_TOKEN_INVALID
 */
export function requireVerificationToken(
  compact: string,
  { organizationIds, ...terms }: TokenTerms,
): VerificationToken {
  const { field } = terms
  const token = readVerificationToken(compact, field)
  requireGenuineToken(token, terms)
  requireTokenOf(token.claims, organizationIds, field)
  return token.claims
}

/** @throws VERIFICATION_TOKEN_INVALID when the fetcher did not sign it, or it has expired */
export function requireGenuineToken(
  { claims, signed, signature }: UnverifiedToken,
  { fetcherKey, nowMs, field }: Genuineness,
): void {
  if (!isSigned(signed, signature, fetcherKey))
    throw invalidToken("the paired fetcher did not sign it", field)
  if (claims.expiresAtMs <= nowMs) throw invalidToken("it has expired", field)
}

/** @throws VERIFICATION_TOKEN_INVALID when none of these organizations verified the contact */
export function requireTokenOf(
  { organizationId }: VerificationToken,
  organizationIds: readonly string[],
  field: string,
): void {
  if (!organizationIds.includes(organizationId)) throw invalidToken("it is of another organization", field)
}

/** Reads a token, and verifies nothing. @throws VERIFICATION_TOKEN_INVALID */
export function readVerificationToken(compact: string, field: string): UnverifiedToken {
  const parts = compact.length > MAX_LENGTH ? [] : compact.split(".")
  const [header = "", payload = "", signature = ""] = parts
  const isSealed = header === SEALED_SEGMENT
  // There are two headers, so that nothing else which the fetcher signs can be read as such a token.
  if (parts.length !== 3 || !(isSealed || header === PLAIN_SEGMENT))
    throw invalidToken("it is no such token", field)
  const bytes = Buffer.from(signature, "base64url")
  if (bytes.length !== 64 || bytes.toString("base64url") !== signature)
    throw invalidToken("its signature has another form", field)
  const claims = { ...readClaims(Buffer.from(payload, "base64url"), field), isSealed }
  return { claims, signed: Buffer.from(`${header}.${payload}`), signature: bytes }
}

const CHANNELS: ReadonlyMap<string, OtpType> = new Map([
  ["OTP_TYPE_EMAIL", OtpType.EMAIL],
  ["OTP_TYPE_SMS", OtpType.SMS],
])

const SEALED_SEGMENT = Buffer.from(JSON.stringify(SEALED_HEADER)).toString("base64url")
const PLAIN_SEGMENT = Buffer.from(JSON.stringify(PLAIN_HEADER)).toString("base64url")

/** A contact of 320 characters, each escaped to six, is far shorter. */
const MAX_LENGTH = 8192

function isSigned(message: Uint8Array, signature: Uint8Array, key: KeyObject): boolean {
  return verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, signature)
}

function readClaims(payload: Uint8Array, field: string): Omit<VerificationToken, "isSealed"> {
  const claims = readJsonObject(payload, (reason, cause) =>
    invalidToken(`its payload ${reason}`, field, cause),
  )
  const id = readUuid(textOf(claims, "id"))
  const organizationId = readUuid(textOf(claims, "organization_id"))
  const channel = CHANNELS.get(textOf(claims, "verification_type"))
  const contact = textOf(claims, "contact")
  const expiry = textOf(claims, "exp")
  const publicKey = claims["public_key"] === undefined ? undefined : textOf(claims, "public_key")
  const isComplete =
    id !== undefined && organizationId !== undefined && contact !== "" && channel !== undefined
  if (!isComplete || !/^[1-9][0-9]{0,14}$/.test(expiry) || !isKey(publicKey))
    throw invalidToken("its claims are not those of such a token", field)
  return { id, organizationId, channel, contact, publicKey, expiresAtMs: Number(expiry) }
}

function isKey(publicKey: string | undefined): boolean {
  if (publicKey === undefined) return true
  return /^[0-9a-f]{66}$/.test(publicKey) && uncompressP256(Buffer.from(publicKey, "hex")) !== undefined
}

function textOf(claims: JsonMembers, name: string): string {
  const value = claims[name]
  return typeof value === "string" ? value : ""
}

/** `why` repeats nothing of the token. */
function invalidToken(why: string, field: string, cause?: unknown): Refusal {
  return refuse("VERIFICATION_TOKEN_INVALID", `invalid verification token: ${why}`, { field, cause })
}

/**
 * True if the token proves this contact: the same channel, and the same text but for the case of ASCII letters in an
 * e-mail address.
 */
export function provesContact(
  token: Pick<VerificationToken, "channel" | "contact">,
  channel: OtpType,
  contact: string,
): boolean {
  return contact !== "" && token.channel === channel && isSameContact(token.contact, contact)
}
