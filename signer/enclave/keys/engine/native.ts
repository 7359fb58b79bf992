import libsecp256k1 from "secp256k1/bindings.js"
import { signSchnorr } from "./schnorr.ts"
import { requireParity, type Secp256k1Engine } from "./types.ts"

/** libsecp256k1 as a native addon: constant time, without copies of keys on the JavaScript heap. */
export const native: Secp256k1Engine = {
  name: "libsecp256k1",
  isPrivateKey: (key) => key.length === 32 && libsecp256k1.privateKeyVerify(key),
  publicKey: (privateKey, compressed) => libsecp256k1.publicKeyCreate(privateKey, compressed),
  addToPrivateKey(key, addend) {
    libsecp256k1.privateKeyTweakAdd(key, addend)
  },
  negatePrivateKey(key) {
    if (!libsecp256k1.privateKeyVerify(key)) throw new RangeError("the bytes are not a private key")
    libsecp256k1.privateKeyNegate(key)
  },
  addToPoint: (point, scalar) => libsecp256k1.publicKeyTweakAdd(point, scalar, true),
  sign(digest, privateKey) {
    const { signature, recid } = libsecp256k1.ecdsaSign(digest, privateKey)
    return { signature, recovery: requireParity(recid) }
  },
  // The addon is built without the Schnorr module.
  signSchnorr(digest, privateKey) {
    if (!libsecp256k1.privateKeyVerify(privateKey)) throw new RangeError("the bytes are not a private key")
    return signSchnorr(digest, privateKey, {
      ...native,
      multiplyPrivateKey: (key, factor) => libsecp256k1.privateKeyTweakMul(key, factor),
    })
  },
}
