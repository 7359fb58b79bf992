import { parseStrictJson } from "../../../proto/strict-json.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { isDerSignature } from "./der.ts"
import { isPublicKeyHex } from "./keys.ts"
import { curveOfScheme, isStampScheme, type StampScheme } from "./scheme.ts"

/** A request's signature with the key and the scheme it claims; nothing of it is verified yet. */
export type ApiKeyStamp = {
  readonly kind: "api-key"
  /** Name of the credential: the public key. */
  readonly credential: string
  readonly scheme: StampScheme
  /** Lower-case; 33-byte compressed point, or 32 bytes for Ed25519. It may be no point of the curve. */
  readonly publicKeyHex: string
  /** As it was sent: DER for the ECDSA schemes, 64 bytes R || S for Ed25519. */
  readonly signature: Uint8Array
}

/** R || S. */
export const ED25519_SIGNATURE_BYTES = 64

/** Longest X-Stamp value that is looked at; an honest one has about 380 characters. */
export const MAX_STAMP_LENGTH = 2048

/**
 * Reads the value of an X-Stamp header: base64url, with or without padding, of the JSON object
 * `{publicKey, scheme, signature}`; further members are ignored.
 *
 * @throws Refusal STAMP_MALFORMED, STAMP_SCHEME_UNKNOWN
 */
export function readStamp(header: string): ApiKeyStamp {
  const { publicKey, scheme, signature } = readMembers(header)
  if (!isStampScheme(scheme)) {
    throw refuse("STAMP_SCHEME_UNKNOWN", "the stamp names a signature scheme that is not accepted here")
  }
  const publicKeyHex = publicKey.toLowerCase()
  if (!isPublicKeyHex(curveOfScheme(scheme), publicKeyHex)) {
    throw malformed("publicKey is not a compressed key of the scheme's curve in hex")
  }
  const stamp = {
    kind: "api-key" as const,
    credential: publicKeyHex,
    scheme,
    publicKeyHex,
    signature: readHex(signature),
  }
  if (!isWellFormed(stamp)) throw malformed("signature does not have the form its scheme asks for")
  return stamp
}

/** What is verified of a stamp. */
export type KeySignature = Pick<ApiKeyStamp, "scheme" | "publicKeyHex" | "signature">

function isWellFormed({ scheme, signature }: KeySignature): boolean {
  const curve = curveOfScheme(scheme)
  return curve === "ED25519" ? signature.length === ED25519_SIGNATURE_BYTES : isDerSignature(signature, curve)
}

/**
 * What published stampers write. Each name stands there once and nothing is escaped, so that a JSON reader could
 * read nothing else; everything else is left to one.
 */
const USUAL = /^\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\}$/

type Members = Record<"publicKey" | "scheme" | "signature", string>

function readMembers(header: string): Members {
  if (header.length > MAX_STAMP_LENGTH) throw malformed("the header is too long")
  const bytes = Buffer.from(header, "base64url")
  // Buffer skips what is not base64url; only what it writes the same way again was all of it.
  const padding = "=".repeat((3 - (bytes.length % 3)) % 3)
  const canonical = bytes.toString("base64url")
  if (header !== canonical && header !== canonical + padding) throw malformed("the header is not base64url")
  const [, publicKey, scheme, signature] = USUAL.exec(bytes.toString("latin1")) ?? []
  if (publicKey !== undefined && scheme !== undefined && signature !== undefined) {
    return { publicKey, scheme, signature }
  }
  const value = readJson(bytes)
  return {
    publicKey: readMember(value, "publicKey"),
    scheme: readMember(value, "scheme"),
    signature: readMember(value, "signature"),
  }
}

function readJson(bytes: Buffer): object {
  let value: unknown
  try {
    value = parseStrictJson(bytes.toString(), { maxDepth: 4 })
  } catch (cause) {
    throw malformed("the header holds no JSON", cause)
  }
  if (typeof value !== "object" || value === null) throw malformed("the header holds no JSON object")
  return value
}

function readMember(value: object, name: keyof Members): string {
  const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  if (typeof member !== "string") throw malformed(`${name} is missing or not a string`)
  return member
}

function readHex(hex: string): Uint8Array {
  if (hex.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(hex)) throw malformed("signature is not hex")
  return Buffer.from(hex, "hex")
}

function malformed(what: string, cause?: unknown): Refusal {
  return refuse("STAMP_MALFORMED", `could not extract api key stamp: ${what}`, { cause })
}
