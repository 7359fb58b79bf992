import { type KeyObject, sign } from "node:crypto"
import { p256 } from "@noble/curves/nist.js"
import { p256Point, p256PrivateKey, readP256Signature } from "../../../core/crypto/p256.ts"
import { compressPoint } from "../point.ts"
import { Secret } from "../../../core/crypto/secret.ts"
import { hexOf, type OpenBackend, requireDigest, type Signable } from "./backend.ts"
import { Held } from "./held.ts"

/**
 * OpenSSL signs where it may hash by itself: constant time, no copies of the key in JavaScript. It cannot be
 * handed a digest (asked for no hash Node takes SHA-256 all the same), so other digests go to noble.
 */
export const openP256: OpenBackend = (secret) => {
  const keyObject = new Held(p256PrivateKey(secret))
  const scalar = secret.use((bytes) => Secret.copyOf(bytes))
  const point = p256Point(keyObject.get())
  return {
    publicKey: compressPoint(point),
    uncompressed: point,
    sign: (input) => ({ signature: signP256(input, keyObject.get(), scalar), recovery: 0 }),
    wipe() {
      scalar.wipe()
      keyObject.drop()
    },
  }
}

function signP256(input: Signable, keyObject: KeyObject, scalar: Secret): string {
  const digest = requireDigest(input)
  if ("sha256Of" in input && input.sha256Of !== undefined) {
    return readP256Signature(sign("sha256", input.sha256Of, keyObject))
  }
  return hexOf(scalar.use((key) => p256.sign(digest, key, { prehash: false, lowS: true })))
}
