import { refuse } from "../../core/refusal.ts"
import type { Curve, PrivateKey } from "../../core/crypto/curve.ts"
import { secp256k1 } from "./engine.ts"
import { isP256Scalar } from "../../core/crypto/p256.ts"
import { type RandomBytes, Secret } from "../../core/crypto/secret.ts"

const KEY_LENGTH = 32

/** Random bytes are out of range once in 2^32 draws; a source that fails four times is broken. */
const MAX_DRAWS = 4

/** Generates a private key, uniform over its curve: values out of range are drawn again (FIPS 186-5, A.2.2). The caller wipes it. */
export function createPrivateKey(curve: Curve, random: RandomBytes): PrivateKey {
  for (let draw = 0; draw < MAX_DRAWS; draw++) {
    const secret = Secret.moveFrom(random(KEY_LENGTH))
    if (secret.use((bytes) => isPrivateKey(curve, bytes))) return { curve, secret }
    secret.wipe()
  }
  throw new Error("the random source returns no private keys")
}

/** Copies 32 bytes: a scalar from 1 to n-1, or any seed of RFC 8032. The caller wipes both. @throws PRIVATE_KEY_INVALID */
export function readPrivateKey(curve: Curve, raw: Secret, field: string): PrivateKey {
  if (raw.length === KEY_LENGTH && raw.use((bytes) => isPrivateKey(curve, bytes)))
    return { curve, secret: raw.use((bytes) => Secret.copyOf(bytes)) }
  throw refuse("PRIVATE_KEY_INVALID", `the imported bytes are not a private key of ${curve}: 32 bytes`, {
    field,
  })
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
