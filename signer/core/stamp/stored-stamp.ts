import { readAuthenticatorData } from "../webauthn/authenticator-data.ts"
import { WebauthnFault } from "../webauthn/fault.ts"
import { requireAssertion } from "../webauthn/assertion.ts"
import { Refusal } from "../refusal.ts"
import { challengeOf } from "./credential.ts"
import { PASSKEY_SCHEME, readPasskeyStamp } from "./read-passkey-stamp.ts"
import { isStampScheme } from "./scheme.ts"
import type { StampParts } from "./stamp.ts"
import { verifyStamp } from "./verify.ts"

/** A stamp as stored with votes and shown in proofs. */
export type StoredStamp = Omit<StampParts, "credential">

/**
 * Whether the key in the stamp signed exactly these bytes. Neither the key's owner nor, for a passkey, the page's
 * origin is checked. Never throws.
 */
export function verifyStoredStamp(stamp: StoredStamp, message: Uint8Array): boolean {
  const { scheme, publicKey, signature } = stamp
  if (scheme === PASSKEY_SCHEME) return verifyStoredPasskeyStamp(publicKey, signature, message)
  if (!isStampScheme(scheme) || !/^(?:[0-9a-fA-F]{2})+$/.test(signature)) return false
  return verifyStamp({ scheme, publicKeyHex: publicKey, signature: Buffer.from(signature, "hex") }, message)
}

function verifyStoredPasskeyStamp(publicKey: string, header: string, message: Uint8Array): boolean {
  try {
    const stamp = readPasskeyStamp(header)
    const { rpIdHash } = readAuthenticatorData(stamp.authenticatorData)
    requireAssertion(stamp, {
      challenge: challengeOf(message),
      publicKey: Buffer.from(publicKey, "base64url"),
      rpIdHash,
      origins: undefined,
    })
    return true
  } catch (error) {
    if (error instanceof WebauthnFault || error instanceof Refusal) return false
    throw error
  }
}
