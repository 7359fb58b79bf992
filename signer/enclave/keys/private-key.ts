import { refuse } from "../../core/refusal.ts"
import type { Curve, PrivateKey } from "../../core/crypto/curve.ts"
import { secp256k1 } from "./engine.ts"
import { isP256Scalar } from "../../core/crypto/p256.ts"
import { Secret } from "../../core/crypto/secret.ts"

const KEY_LENGTH = 32

/** A source that gives no key so often is broken: of random bytes not one draw in 2^32 misses. */
const MAX_DRAWS = 4

/**
 * A new private key that stands alone, uniform over the keys of its curve: what is none is drawn again (FIPS 186-5,
 * A.2.2). The caller wipes its secret.
 */
export function createPrivateKey(curve: Curve, random: (length: number) => Uint8Array): PrivateKey {
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const secret = Secret.moveFrom(random(KEY_LENGTH))
    if (secret.use((bytes) => isPrivateKey(curve, bytes))) return { curve, secret }
    secret.wipe()
  }
  throw new Error("the random source gives no private keys")
}

/**
 * A private key that came from elsewhere: 32 bytes, the scalar of 1 to n-1 or the seed of RFC 8032, which may be
 * any. Copies; the caller wipes both.
 *
 * @throws {Refusal} PRIVATE_KEY_INVALID, naming `field`
 */
export function readPrivateKey(curve: Curve, raw: Secret, field: string): PrivateKey {
  if (raw.length === KEY_LENGTH && raw.use((bytes) => isPrivateKey(curve, bytes)))
    return { curve, secret: raw.use((bytes) => Secret.copyOf(bytes)) }
  throw refuse("PRIVATE_KEY_INVALID", `what was imported is no private key of ${curve}, 32 bytes`, { field })
}

function isPrivateKey(curve: Curve, bytes: Uint8Array): boolean {
  switch (curve) {
    case "CURVE_SECP256K1":
      return secp256k1.isPrivateKey(bytes)
    case "CURVE_P256":
      return isP256Scalar(bytes)
    case "CURVE_ED25519":
      return bytes.length === KEY_LENGTH
    default:
      return curve satisfies never
  }
}
