import { createECDH } from "node:crypto"
import { addP256Scalars, isP256Scalar } from "../../../core/crypto/p256.ts"
import { HARDENED } from "../../../core/address/path.ts"
import { ownBytes, wipe } from "../../../core/crypto/secret.ts"
import { childData, type ExtendedKey, halves, hardenedData, type Scheme } from "./scheme.ts"

const MASTER_KEY = Buffer.from("Nist256p1 seed")
const RETRY = 1

/** SLIP-0010 for P-256: BIP-32 modulo the order of P-256, but a key out of range is tried again. */
export const slip10P256: Scheme = {
  master(seed) {
    let master = halves(MASTER_KEY, seed)
    while (!isP256Scalar(master.key)) master = again(master, MASTER_KEY, join(master))
    return master
  },

  child(parent, index) {
    const data = dataOf(parent, index)
    let child = halves(parent.chainCode, data)
    wipe(data)
    while (!addParent(child.key, parent.key)) {
      child = again(child, parent.chainCode, retryData(child.chainCode, index))
    }
    return child
  },
}

/** Adds the parent in place; false when the left half was not below the order or the sum is 0. */
function addParent(key: Uint8Array, parent: Uint8Array): boolean {
  // A left half of 0 would be allowed, but never comes: it is tried again like the others.
  if (!isP256Scalar(key)) return false
  addP256Scalars(key, parent)
  return isP256Scalar(key)
}

function again(failed: ExtendedKey, hmacKey: Uint8Array, data: Uint8Array): ExtendedKey {
  const next = halves(hmacKey, data)
  wipe(failed.key, failed.chainCode, data)
  return next
}

/** The whole 64 bytes of a master that failed. */
function join({ key, chainCode }: ExtendedKey): Uint8Array {
  const whole = ownBytes(64)
  whole.set(key)
  whole.set(chainCode, 32)
  return whole
}

/** 01 || right half(32) || index(4, BE). */
function retryData(chainCode: Uint8Array, index: number): Uint8Array {
  const data = hardenedData(chainCode, index)
  data[0] = RETRY
  return data
}

function dataOf({ key }: ExtendedKey, index: number): Uint8Array {
  if (index >= HARDENED) return hardenedData(key, index)
  const pair = createECDH("prime256v1")
  pair.setPrivateKey(key)
  return childData(pair.getPublicKey(null, "compressed"), index)
}
