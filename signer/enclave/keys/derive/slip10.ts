import { createECDH } from "node:crypto"
import { HARDENED } from "../../../core/address/path.ts"
import { addP256Scalars, isP256Scalar } from "../../../core/crypto/p256.ts"
import { ownBytes, wipe } from "../../../core/crypto/secret.ts"
import { childData, type ExtendedKey, halves, hardenedData, type Scheme } from "./scheme.ts"

const ED25519_MASTER = Buffer.from("ed25519 seed")
const P256_MASTER = Buffer.from("Nist256p1 seed")
const RETRY = 1

/** SLIP-0010 for Ed25519: hardened children only; the left half is the child, nothing is added. */
export const slip10Ed25519: Scheme = {
  master: (seed) => halves(ED25519_MASTER, seed),

  child(parent, index) {
    if (index < HARDENED) throw new RangeError("Ed25519 has hardened children only")
    const data = hardenedData(parent.key, index)
    const child = halves(parent.chainCode, data)
    wipe(data)
    return child
  },
}

/** SLIP-0010 for P-256: BIP-32 modulo the order of P-256, except that a key out of range is derived again. */
export const slip10P256: Scheme = {
  master(seed) {
    let master = halves(P256_MASTER, seed)
    while (!isP256Scalar(master.key)) master = retry(master, P256_MASTER, joinHalves(master))
    return master
  },

  child(parent, index) {
    const data = dataOf(parent, index)
    let child = halves(parent.chainCode, data)
    wipe(data)
    while (!addParent(child.key, parent.key)) {
      child = retry(child, parent.chainCode, retryData(child.chainCode, index))
    }
    return child
  },
}

/** Adds the parent to `key`; false when `key` is out of range or the sum is 0. */
function addParent(key: Uint8Array, parent: Uint8Array): boolean {
  // SLIP-0010 allows a left half of 0, which has probability 2^-256; it is derived again like the others.
  if (!isP256Scalar(key)) return false
  addP256Scalars(key, parent)
  return isP256Scalar(key)
}

function retry(failed: ExtendedKey, hmacKey: Uint8Array, data: Uint8Array): ExtendedKey {
  const next = halves(hmacKey, data)
  wipe(failed.key, failed.chainCode, data)
  return next
}

function joinHalves({ key, chainCode }: ExtendedKey): Uint8Array {
  const joined = ownBytes(64)
  joined.set(key)
  joined.set(chainCode, 32)
  return joined
}

/** 01 || right half(32) || index(4, BE). */
function retryData(chainCode: Uint8Array, index: number): Uint8Array {
  const data = hardenedData(chainCode, index)
  data[0] = RETRY
  return data
}

function dataOf(parent: ExtendedKey, index: number): Uint8Array {
  if (index >= HARDENED) return hardenedData(parent.key, index)
  parent.point ??= compressedPoint(parent.key)
  return childData(parent.point, index)
}

function compressedPoint(key: Uint8Array): Uint8Array {
  const pair = createECDH("prime256v1")
  pair.setPrivateKey(key)
  return pair.getPublicKey(null, "compressed")
}
