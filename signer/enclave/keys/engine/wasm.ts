import * as tiny from "tiny-secp256k1"
import { wipe } from "../../../core/crypto/secret.ts"
import { requireParity, type Secp256k1Engine } from "./types.ts"

/** libsecp256k1 as WebAssembly, for hosts without a build of the addon. */
export const wasm: Secp256k1Engine = {
  name: "libsecp256k1-wasm",
  isPrivateKey: (key) => tiny.isPrivate(key),
  publicKey(privateKey, compressed) {
    const point = tiny.pointFromScalar(privateKey, compressed)
    if (point === null) throw new RangeError("the bytes are not a private key")
    return point
  },
  addToPrivateKey(key, addend) {
    const sum = tiny.privateAdd(key, addend)
    if (sum === null) throw new RangeError("the sum is not a private key")
    key.set(sum)
    wipe(sum)
  },
  negatePrivateKey(key) {
    const negated = tiny.privateNegate(key)
    key.set(negated)
    wipe(negated)
  },
  addToPoint(point, scalar) {
    const sum = tiny.pointAddScalar(point, scalar, true)
    if (sum === null) throw new RangeError("the sum is not a point")
    return sum
  },
  sign(digest, privateKey) {
    const { signature, recoveryId } = tiny.signRecoverable(digest, privateKey)
    return { signature, recovery: requireParity(recoveryId) }
  },
  signSchnorr: (digest, privateKey) => tiny.signSchnorr(digest, privateKey),
}
