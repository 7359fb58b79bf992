import type { PasskeyStamp } from "./read-passkey-stamp.ts"
import type { ApiKeyStamp } from "./read-stamp.ts"

/** Evidence of a request's author. `credential`: the name by which the credential is looked up. */
export type Stamp = ApiKeyStamp | PasskeyStamp

/** A stamp in parts, as votes store and show it. */
export type StampParts = {
  scheme: string
  /** The credential's public key, as resources show it: hexadecimal, or a COSE_Key in base64url. */
  publicKey: string
  /** Hexadecimal as the caller wrote it; for a passkey the JSON object of its header. */
  signature: string
  /** Name of the credential. */
  credential: string
}

/**
 * The parts that are needed to verify the stamp again; the stamped message is stored beside them.
 *
 * @param passkeyPublicKey COSE_Key, for a passkey's stamp
 */
export function stampParts(stamp: Stamp, passkeyPublicKey: Uint8Array = NO_BYTES): StampParts {
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

const NO_BYTES = new Uint8Array(0)

function text({ buffer, byteOffset, byteLength }: Uint8Array, encoding: "hex" | "base64url"): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString(encoding)
}
