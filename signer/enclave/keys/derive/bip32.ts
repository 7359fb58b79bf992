import { secp256k1 } from "../engine.ts"
import { HARDENED } from "../../../core/address/path.ts"
import { wipe } from "../../../core/crypto/secret.ts"
import { childData, type ExtendedKey, halves, hardenedData, type Scheme } from "./scheme.ts"

const MASTER_KEY = Buffer.from("Bitcoin seed")

/** BIP-32 on secp256k1. A key out of range has probability 2^-127 and is an error, as BIP-32 says. */
export const bip32: Scheme = {
  master(seed) {
    const master = halves(MASTER_KEY, seed)
    if (secp256k1.isPrivateKey(master.key)) return master
    wipe(master.key, master.chainCode)
    throw new RangeError("this seed has no BIP-32 master key")
  },

  child(parent, index) {
    const data = dataOf(parent, index)
    const child = halves(parent.chainCode, data)
    wipe(data)
    try {
      secp256k1.addToPrivateKey(child.key, parent.key)
    } catch {
      wipe(child.key, child.chainCode)
      throw new RangeError("this index has no BIP-32 child")
    }
    return child
  },
}

function dataOf(parent: ExtendedKey, index: number): Uint8Array {
  if (index >= HARDENED) return hardenedData(parent.key, index)
  parent.point ??= secp256k1.publicKey(parent.key, true)
  return childData(parent.point, index)
}
