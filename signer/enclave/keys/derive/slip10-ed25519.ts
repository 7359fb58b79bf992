import { HARDENED } from "../../../core/address/path.ts"
import { wipe } from "../../../core/crypto/secret.ts"
import { halves, hardenedData, type Scheme } from "./scheme.ts"

const MASTER_KEY = Buffer.from("ed25519 seed")

/** SLIP-0010 for Ed25519: hardened children only; the left half is the child, nothing is added. */
export const slip10Ed25519: Scheme = {
  master: (seed) => halves(MASTER_KEY, seed),

  child(parent, index) {
    if (index < HARDENED) throw new RangeError("Ed25519 has hardened children only")
    const data = hardenedData(parent.key, index)
    const child = halves(parent.chainCode, data)
    wipe(data)
    return child
  },
}
