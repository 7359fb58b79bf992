import { readAuthenticatorData } from "../webauthn/authenticator-data.ts"
import { WebauthnFault } from "../webauthn/fault.ts"
import { requireAssertion } from "../webauthn/assertion.ts"
import { Refusal } from "../refusal.ts"
import { challengeOf } from "./holder.ts"
import { PASSKEY_SCHEME, readPasskeyStamp } from "./read-passkey-stamp.ts"
import { isStampScheme } from "./scheme.ts"
import type { StampParts } from "./stamp.ts"
import { verifyStamp } from "./verify.ts"

/** A stamp as votes and proofs show it. */
export type KeptStamp = Omit<StampParts, "credential">

/**
 * Whether the key that stands in the stamp signed exactly these bytes. Says nothing about whose key it is, nor, of a
 * passkey, on which page it was used. Never throws.
 */
export function verifyKeptStamp(stamp: KeptStamp, message: Uint8Array): boolean {
  const { scheme, publicKey, signature } = stamp
  if (scheme === PASSKEY_SCHEME) return verifyKeptPasskeyStamp(publicKey, signature, message)
  if (!isStampScheme(scheme) || !/^(?:[0-9a-fA-F]{2})+$/.test(signature)) return false
  return verifyStamp({ scheme, publicKeyHex: publicKey, signature: Buffer.from(signature, "hex") }, message)
}

function verifyKeptPasskeyStamp(publicKey: string, header: string, message: Uint8Array): boolean {
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
