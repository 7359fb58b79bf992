import type { PasskeyStamp } from "./read-passkey-stamp.ts"
import type { ApiKeyStamp } from "./read-stamp.ts"

/** What came with a request to show whose it is. `credential` names what has to be looked up. */
export type Stamp = ApiKeyStamp | PasskeyStamp

/** A stamp in parts, as votes show it and as it is kept with them. */
export type StampParts = {
  scheme: string
  /** As resources show the credential's public key: hexadecimal, or a COSE_Key in base64url. */
  publicKey: string
  /** Hexadecimal as the caller wrote it; of a passkey the JSON object of its header. */
  signature: string
  /** Name of the credential. */
  credential: string
}

/**
 * A stamp with all that is needed to verify it again; the message is kept beside it.
 *
 * @param passkeyPublicKey COSE_Key of the passkey, where it is one
 */
export function stampParts(stamp: Stamp, passkeyPublicKey: Uint8Array = NOTHING): StampParts {
  const { kind, credential, scheme } = stamp
  switch (kind) {
    case "api-key":
      return { scheme, publicKey: stamp.publicKeyHex, signature: text(stamp.signature, "hex"), credential }
    case "passkey":
      return {
        scheme,
        publicKey: text(passkeyPublicKey, "base64url"),
        signature: JSON.stringify({
          authenticatorData: text(stamp.authenticatorData, "base64url"),
          clientDataJson: text(stamp.clientDataJson, "base64url"),
          credentialId: text(stamp.credentialId, "base64url"),
          signature: text(stamp.signature, "base64url"),
        }),
        credential,
      }
    default:
      return kind satisfies never
  }
}

const NOTHING = new Uint8Array(0)

function text({ buffer, byteOffset, byteLength }: Uint8Array, encoding: "hex" | "base64url"): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString(encoding)
}
