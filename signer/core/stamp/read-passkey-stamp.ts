import { parseStrictJson } from "../../../proto/strict-json.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { readBase64url } from "../webauthn/base64url.ts"
import { passkeyName } from "../webauthn/passkey-name.ts"

/** What votes call the scheme of passkeys; it is not named in the header. */
export const PASSKEY_SCHEME = "SIGNATURE_SCHEME_TK_WEBAUTHN"

/** A request's assertion by the passkey that it claims; nothing of it is verified yet. */
export type PasskeyStamp = {
  readonly kind: "passkey"
  /** Name of the credential: `webauthn:` and its id in base64url. */
  readonly credential: string
  readonly scheme: typeof PASSKEY_SCHEME
  readonly credentialId: Uint8Array
  readonly authenticatorData: Uint8Array
  readonly clientDataJson: Uint8Array
  readonly signature: Uint8Array
}

/** Longest value that is looked at. An honest one has 700 characters, 3,000 with the longest credential id. */
export const MAX_PASSKEY_STAMP_LENGTH = 8192

/** Web Authentication §4: a credential id has 1023 bytes at most. */
const MAX_CREDENTIAL_ID_LENGTH = 1023

/**
 * Reads the value of an X-Stamp-WebAuthn header: the JSON object `{authenticatorData, clientDataJson, credentialId,
 * signature}`, all base64url, as it is or in base64url again; further members are ignored.
 *
 * @throws Refusal STAMP_MALFORMED
 */
export function readPasskeyStamp(header: string): PasskeyStamp {
  if (header.length > MAX_PASSKEY_STAMP_LENGTH) throw malformed("the header is too long")
  const value = readJson(header.startsWith("{") ? header : decode(header))
  const credentialId = readMember(value, "credentialId")
  if (credentialId.length === 0 || credentialId.length > MAX_CREDENTIAL_ID_LENGTH) {
    throw malformed(`credentialId has not 1 to ${MAX_CREDENTIAL_ID_LENGTH} bytes`)
  }
  return {
    kind: "passkey",
    credential: passkeyName(credentialId),
    scheme: PASSKEY_SCHEME,
    credentialId,
    authenticatorData: readMember(value, "authenticatorData"),
    clientDataJson: readMember(value, "clientDataJson"),
    signature: readMember(value, "signature"),
  }
}

function decode(header: string): string {
  const bytes = readBase64url(header)
  if (bytes === undefined) throw malformed("the header is neither JSON nor base64url")
  return bytes.toString()
}

function readJson(text: string): object {
  let value: unknown
  try {
    value = parseStrictJson(text, { maxDepth: 4 })
  } catch (cause) {
    throw malformed("the header holds no JSON", cause)
  }
  if (typeof value !== "object" || value === null) throw malformed("the header holds no JSON object")
  return value
}

function readMember(value: object, name: string): Uint8Array {
  const member: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  if (typeof member !== "string") throw malformed(`${name} is missing or not a string`)
  const bytes = readBase64url(member)
  if (bytes === undefined) throw malformed(`${name} is not base64url`)
  return bytes
}

function malformed(what: string, cause?: unknown): Refusal {
  return refuse("STAMP_MALFORMED", `could not extract webauthn stamp: ${what}`, { cause })
}
