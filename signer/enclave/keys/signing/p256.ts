import { type KeyObject, sign } from "node:crypto"
import { p256 } from "@noble/curves/nist.js"
import { p256Point, p256PrivateKey, readP256Signature } from "../../../core/crypto/p256.ts"
import { Secret } from "../../../core/crypto/secret.ts"
import type { OpenBackend, Signable } from "./backend.ts"
import { compressPoint, DroppableRef, hexOf, requireDigest } from "./backend.ts"

/**
 * OpenSSL signs messages hashed with SHA-256: in constant time, without copies of the key in JavaScript. Node cannot
 * pass it a digest (without a named hash it takes SHA-256), so noble signs all other digests.
 */
export const openP256: OpenBackend = (secret) => {
  const keyObject = new DroppableRef(p256PrivateKey(secret))
  const scalar = secret.use((bytes) => Secret.copyOf(bytes))
  const point = p256Point(keyObject.get())
  return {
    publicKey: compressPoint(point),
    uncompressed: point,
    sign: (input) => ({ signature: signP256(input, keyObject.get(), scalar), recovery: 0 }),
    wipe() {
      scalar.wipe()
      keyObject.wipe()
    },
  }
}

function signP256(input: Signable, keyObject: KeyObject, scalar: Secret): string {
  const digest = requireDigest(input)
  if ("sha256Of" in input && input.sha256Of !== undefined)
    return readP256Signature(sign("sha256", input.sha256Of, keyObject))
  return hexOf(scalar.use((key) => p256.sign(digest, key, { prehash: false, lowS: true })))
}
