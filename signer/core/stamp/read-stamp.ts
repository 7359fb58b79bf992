import { type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { readBase64url } from "../webauthn/base64url.ts"
import { isDerSignature } from "./der.ts"
import { curveOfScheme, isPublicKeyHex, isStampScheme, type StampScheme } from "./keys.ts"

/** A request's signature with the key and the scheme it names, not verified yet. */
export type ApiKeyStamp = {
  readonly kind: "api-key"
  /** The credential's name: the public key. */
  readonly credential: string
  readonly scheme: StampScheme
  /** Lower-case; a compressed point of 33 bytes, or 32 bytes for Ed25519. Whether it is a point is not checked. */
  readonly publicKeyHex: string
  /** As sent: DER for the ECDSA schemes, 64 bytes R || S for Ed25519. */
  readonly signature: Uint8Array
}

/** Length of R || S. */
export const ED25519_SIGNATURE_BYTES = 64

/** Largest X-Stamp value, characters; published clients write about 380. */
export const MAX_STAMP_LENGTH = 2048

/**
 * Reads the value of an X-Stamp header: base64url, with or without padding, of the JSON object
 * `{publicKey, scheme, signature}`; further members are ignored.
 *
 * @throws Refusal STAMP_MALFORMED, STAMP_SCHEME_UNKNOWN
 */
export function readStamp(header: string): ApiKeyStamp {
  const { publicKey, scheme, signature } = readMembers(header)
  if (!isStampScheme(scheme))
    throw refuse("STAMP_SCHEME_UNKNOWN", "the stamp names a signature scheme that is not accepted here")
  const publicKeyHex = publicKey.toLowerCase()
  if (!isPublicKeyHex(curveOfScheme(scheme), publicKeyHex))
    throw malformed("publicKey is not a compressed key of the scheme's curve in hex")
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

/** The members of a stamp that its verification needs. */
export type KeySignature = Pick<ApiKeyStamp, "scheme" | "publicKeyHex" | "signature">

function isWellFormed({ scheme, signature }: KeySignature): boolean {
  const curve = curveOfScheme(scheme)
  return curve === "ED25519" ? signature.length === ED25519_SIGNATURE_BYTES : isDerSignature(signature, curve)
}

/**
 * The JSON of published stampers. Each name occurs once and nothing is escaped, so a JSON reader would read the same;
 * any other text goes to the JSON reader.
 */
const PUBLISHED_FORM =
  /^\{"publicKey":"([0-9a-fA-F]*)","scheme":"([A-Z0-9_]*)","signature":"([0-9a-fA-F]*)"\}$/

type Members = Record<"publicKey" | "scheme" | "signature", string>

function readMembers(header: string): Members {
  if (header.length > MAX_STAMP_LENGTH) throw malformed("the header is too long")
  const bytes = readBase64url(header)
  if (bytes === undefined) throw malformed("the header is not base64url")
  const [, publicKey, scheme, signature] = PUBLISHED_FORM.exec(bytes.toString("latin1")) ?? []
  if (publicKey !== undefined && scheme !== undefined && signature !== undefined)
    return { publicKey, scheme, signature }
  const fault = (reason: string, cause?: unknown) => malformed(`the header ${reason}`, cause)
  const value = readJsonObject(bytes.toString(), fault, { maxDepth: 4 })
  return {
    publicKey: readMember(value, "publicKey"),
    scheme: readMember(value, "scheme"),
    signature: readMember(value, "signature"),
  }
}

function readMember(value: JsonMembers, name: keyof Members): string {
  const member = Object.hasOwn(value, name) ? value[name] : undefined
  if (typeof member !== "string") throw malformed(`${name} is missing or not a string`)
  return member
}

function readHex(hex: string): Uint8Array {
  if (hex.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(hex)) throw malformed("signature is not hex")
  return Buffer.from(hex, "hex")
}

function malformed(reason: string, cause?: unknown): Refusal {
  return refuse("STAMP_MALFORMED", `could not extract api key stamp: ${reason}`, { cause })
}
