import { schnorr, secp256k1 } from "@noble/curves/secp256k1.js"
import { wipe } from "../../../core/crypto/secret.ts"
import { requireParity, type Secp256k1Engine } from "./types.ts"

const { Point } = secp256k1
const { Fn } = Point
const NO_RANDOMNESS = new Uint8Array(32)

/** Plain JavaScript, the fallback: slow, and leaves copies of keys. Tests compare the other engines with it. */
export const noble: Secp256k1Engine = {
  name: "noble",
  isPrivateKey: (key) => secp256k1.utils.isValidSecretKey(key),
  publicKey: (privateKey, compressed) => secp256k1.getPublicKey(privateKey, compressed),
  addToPrivateKey(key, addend) {
    const sum = Fn.add(Fn.fromBytes(key), Fn.fromBytes(addend))
    if (Fn.is0(sum)) throw new RangeError("the sum is not a private key")
    const bytes = Fn.toBytes(sum)
    key.set(bytes)
    wipe(bytes)
  },
  negatePrivateKey(key) {
    if (!secp256k1.utils.isValidSecretKey(key)) throw new RangeError("the bytes are not a private key")
    const bytes = Fn.toBytes(Fn.neg(Fn.fromBytes(key)))
    key.set(bytes)
    wipe(bytes)
  },
  addToPoint(point, scalar) {
    const sum = Point.fromBytes(point).add(Point.BASE.multiply(Fn.fromBytes(scalar)))
    return sum.toBytes(true)
  },
  sign(digest, privateKey) {
    if (digest.length !== 32) throw new RangeError("a digest has 32 bytes")
    const options = { prehash: false, lowS: true, format: "recovered" } as const
    const recovered = secp256k1.sign(digest, privateKey, options)
    return { signature: recovered.slice(1), recovery: requireParity(recovered[0]) }
  },
  signSchnorr(digest, privateKey) {
    if (digest.length !== 32) throw new RangeError("a digest has 32 bytes")
    return schnorr.sign(digest, privateKey, NO_RANDOMNESS)
  },
}
