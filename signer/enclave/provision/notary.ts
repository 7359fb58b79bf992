import { createPublicKey } from "node:crypto"
import type { KeySet } from "../../core/crypto/keyset.ts"
import { isSignedTagged, signTagged } from "../../core/crypto/tagged-signature.ts"
import type { Notary } from "../organization/notarize.ts"

/** Signs with the notarizer's signing key, each kind of statement under its own tag. */
export function makeNotary(keySet: KeySet): Notary {
  const publicKey = createPublicKey(keySet.sign)
  return {
    sign: (tag, bytes) => signTagged(keySet, tag, bytes),
    verify: (tag, bytes, signature) => isSignedTagged(publicKey, tag, bytes, signature),
  }
}
