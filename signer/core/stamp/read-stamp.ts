import type { JsonMembers } from "../../../proto/strict-json.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { readBase64url } from "../encodings.ts"
import { type AttestedStamp, readAttestedStamp } from "./attested.ts"
import { isDerSignature } from "./der.ts"
import { readHex, readMember, readStampJson } from "./header-json.ts"
import { curveOfScheme, isPublicKeyHex, isStampScheme, STAMP_SCHEMES, type StampScheme } from "./keys.ts"
import { MAX_CREDENTIAL_ID_LENGTH, passkeyName } from "../webauthn/credential-id.ts"

/** A request's signature with the key and the scheme it names, not verified yet. */
export type ApiKeyStamp = {
  readonly kind: "api-key"
  /** The credential's name: the public key. */
  readonly credential: string
  readonly scheme: StampScheme
  /** Lower-case; a compressed point of 33 bytes, or 32 bytes for Ed25519. Whether it is a point is not checked. */
  readonly publicKeyHex: string
  /** The signature as sent: DER for the ECDSA schemes, 64 bytes R || S for Ed25519. */
  readonly signature: Uint8Array
}

/** Length of R || S. */
export const ED25519_SIGNATURE_BYTES = 64

/** Largest X-Stamp value, characters; published clients write about 380. */
export const MAX_STAMP_LENGTH = 2048

/**
 * Reads the value of an X-Stamp header: base64url, with or without padding, of the JSON object
 * `{publicKey, scheme, signature}`; further members are ignored.
 * @throws Refusal STAMP_MALFORMED, STAMP_SCHEME_UNKNOWN
 */
export function readStamp(header: string): ApiKeyStamp {
  const { publicKey, scheme, signature } = readMembers(header)
  if (!isStampScheme(scheme))
    throw refuse("STAMP_SCHEME_UNKNOWN", `the stamp names an unknown scheme; use one of ${STAMP_SCHEMES}`)
  const publicKeyHex = publicKey.toLowerCase()
  if (!isPublicKeyHex(curveOfScheme(scheme), publicKeyHex))
    throw malformedKeyStamp("publicKey is not a compressed key of the scheme's curve in hex")
  const stamp = {
    kind: "api-key" as const,
    credential: publicKeyHex,
    scheme,
    publicKeyHex,
    signature: readHex(signature, malformedKeyStamp),
  }
  if (!isWellFormed(stamp)) throw malformedKeyStamp("signature does not have the form its scheme asks for")
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
  if (header.length > MAX_STAMP_LENGTH) throw malformedKeyStamp("the header is too long")
  const bytes = readBase64url(header)
  if (bytes === undefined) throw malformedKeyStamp("the header is not base64url")
  const published = PUBLISHED_FORM.exec(bytes.toString("latin1"))
  if (published !== null) {
    const [publicKey, scheme, signature] = published.slice(1) as [string, string, string]
    return { publicKey, scheme, signature }
  }
  const value = readStampJson(bytes.toString(), malformedKeyStamp)
  return {
    publicKey: readMember(value, "publicKey", malformedKeyStamp),
    scheme: readMember(value, "scheme", malformedKeyStamp),
    signature: readMember(value, "signature", malformedKeyStamp),
  }
}

function malformedKeyStamp(reason: string, cause?: unknown): Refusal {
  return refuse("STAMP_MALFORMED", `could not extract api key stamp: ${reason}`, { cause })
}

/** The scheme of passkeys in votes; the header does not name it. */
export const PASSKEY_SCHEME = "SIGNATURE_SCHEME_TK_WEBAUTHN"

/** A request's assertion with the passkey it names, not verified yet. */
export type PasskeyStamp = {
  readonly kind: "passkey"
  /** The credential's name: `webauthn:` and its id in base64url. */
  readonly credential: string
  readonly scheme: typeof PASSKEY_SCHEME
  readonly credentialId: Uint8Array
  readonly authenticatorData: Uint8Array
  readonly clientDataJson: Uint8Array
  readonly signature: Uint8Array
}

/** Largest header value, characters; published clients write 700, or 3,000 with the longest credential id. */
export const MAX_PASSKEY_STAMP_LENGTH = 8192

/**
 * Reads the value of an X-Stamp-WebAuthn header: the JSON object `{authenticatorData, clientDataJson, credentialId,
 * signature}`, all base64url; the object itself may be in base64url again. Further members are ignored.
 * @throws Refusal STAMP_MALFORMED
 */
export function readPasskeyStamp(header: string): PasskeyStamp {
  if (header.length > MAX_PASSKEY_STAMP_LENGTH) throw malformedPasskey("the header is too long")
  const text = header.startsWith("{") ? header : readBase64url(header)?.toString()
  if (text === undefined) throw malformedPasskey("the header is neither JSON nor base64url")
  const value = readStampJson(text, malformedPasskey)
  const credentialId = readBytes(value, "credentialId")
  if (credentialId.length === 0 || credentialId.length > MAX_CREDENTIAL_ID_LENGTH)
    throw malformedPasskey(`credentialId must have 1 to ${MAX_CREDENTIAL_ID_LENGTH} bytes`)
  return {
    kind: "passkey",
    credential: passkeyName(credentialId),
    scheme: PASSKEY_SCHEME,
    credentialId,
    authenticatorData: readBytes(value, "authenticatorData"),
    clientDataJson: readBytes(value, "clientDataJson"),
    signature: readBytes(value, "signature"),
  }
}

function readBytes(value: JsonMembers, name: string): Uint8Array {
  const bytes = readBase64url(readMember(value, name, malformedPasskey))
  if (bytes === undefined) throw malformedPasskey(`${name} is not base64url`)
  return bytes
}

function malformedPasskey(reason: string, cause?: unknown): Refusal {
  return refuse("STAMP_MALFORMED", `could not extract webauthn stamp: ${reason}`, { cause })
}

/** Evidence of a request's author. `credential`: the name by which the credential is looked up. */
export type Stamp = ApiKeyStamp | PasskeyStamp | AttestedStamp

/** A stamp in parts, as votes store and show it. */
export type StampParts = {
  scheme: string
  /** The public key that stamped, as resources show it: hexadecimal, or a COSE_Key in base64url. */
  publicKey: string
  /** Hexadecimal as the caller wrote it; for a passkey the JSON object of its header. */
  signature: string
  /** Name of the credential. */
  credential: string
}

/** The parts that verify the stamp again, with its message. @param passkeyPublicKey COSE_Key, for a passkey's stamp */
export function stampParts(stamp: Stamp, passkeyPublicKey: Uint8Array = NO_BYTES): StampParts {
  const { kind, credential, scheme } = stamp
  switch (kind) {
    case "api-key":
    case "attested":
      return { scheme, publicKey: stamp.publicKeyHex, signature: encode(stamp.signature, "hex"), credential }
    case "passkey":
      return {
        scheme,
        publicKey: encode(passkeyPublicKey, "base64url"),
        signature: JSON.stringify({
          authenticatorData: encode(stamp.authenticatorData, "base64url"),
          clientDataJson: encode(stamp.clientDataJson, "base64url"),
          credentialId: encode(stamp.credentialId, "base64url"),
          signature: encode(stamp.signature, "base64url"),
        }),
        credential,
      }
    default:
      return kind satisfies never
  }
}

const NO_BYTES = new Uint8Array(0)

function encode({ buffer, byteOffset, byteLength }: Uint8Array, encoding: "hex" | "base64url"): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString(encoding)
}

/** Values of a request's stamp headers; absent and empty mean the same. */
export type StampHeaders = {
  readonly xStamp?: string | undefined
  readonly xStampWebauthn?: string | undefined
  readonly xStampAttested?: string | undefined
}

/**
 * Reads the one stamp of a request.
 *
 * @throws Refusal STAMP_MISSING, STAMP_MALFORMED (also: more than one stamp), STAMP_SCHEME_UNKNOWN, OIDC_TOKEN_INVALID,
 *   VERIFICATION_TOKEN_INVALID
 */
export function readStampHeaders({ xStamp, xStampWebauthn, xStampAttested }: StampHeaders): Stamp {
  const present = [
    ...(xStamp ? ["X-Stamp"] : []),
    ...(xStampWebauthn ? ["X-Stamp-WebAuthn"] : []),
    ...(xStampAttested ? ["X-Stamp-Attested"] : []),
  ]
  if (present.length > 1)
    throw refuse("STAMP_MALFORMED", `a request carries one stamp, this one has ${present.join(" and ")}`)
  if (xStampAttested) return readAttestedStamp(xStampAttested)
  if (xStampWebauthn) return readPasskeyStamp(xStampWebauthn)
  if (xStamp) return readStamp(xStamp)
  throw refuse(
    "STAMP_MISSING",
    "no valid authentication signature found for request: none of X-Stamp, X-Stamp-WebAuthn and X-Stamp-Attested is there",
  )
}
