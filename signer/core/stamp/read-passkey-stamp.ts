import { type JsonMembers, readJsonObject } from "../../../proto/strict-json.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { readBase64url } from "../webauthn/base64url.ts"
import { MAX_CREDENTIAL_ID_LENGTH, passkeyName } from "../webauthn/credential-id.ts"

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
 *
 * @throws Refusal STAMP_MALFORMED
 */
export function readPasskeyStamp(header: string): PasskeyStamp {
  if (header.length > MAX_PASSKEY_STAMP_LENGTH) throw malformed("the header is too long")
  const text = header.startsWith("{") ? header : decode(header)
  const fault = (reason: string, cause?: unknown) => malformed(`the header ${reason}`, cause)
  const value = readJsonObject(text, fault, { maxDepth: 4 })
  const credentialId = readMember(value, "credentialId")
  if (credentialId.length === 0 || credentialId.length > MAX_CREDENTIAL_ID_LENGTH)
    throw malformed(`credentialId has not 1 to ${MAX_CREDENTIAL_ID_LENGTH} bytes`)
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

function readMember(value: JsonMembers, name: string): Uint8Array {
  const member = Object.hasOwn(value, name) ? value[name] : undefined
  if (typeof member !== "string") throw malformed(`${name} is missing or not a string`)
  const bytes = readBase64url(member)
  if (bytes === undefined) throw malformed(`${name} is not base64url`)
  return bytes
}

function malformed(reason: string, cause?: unknown): Refusal {
  return refuse("STAMP_MALFORMED", `could not extract webauthn stamp: ${reason}`, { cause })
}
