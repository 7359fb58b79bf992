import { hash } from "node:crypto"
import { secp256k1 } from "../engine.ts"

const EVEN_Y = 0x02
const TAG = Buffer.from(hash("sha256", "TapTweak", "hex").repeat(2), "hex")

const NO_TREE = new Uint8Array(0)

/**
 * Output key, 32 bytes: the x of P + int(tapTweakOf(P))G, where P has the x of `key` and an even y (BIP-341, constructing and spending
 * Taproot outputs). `key`: compressed point. `merkleRoot`: 32 bytes of a script tree; absent: there is none (BIP-86).
 */
export function taprootOutputKey(key: Uint8Array, merkleRoot: Uint8Array = NO_TREE): Uint8Array {
  const x = key.subarray(1)
  return secp256k1.addToPoint(Uint8Array.of(EVEN_Y, ...x), tapTweakOf(x, merkleRoot)).subarray(1)
}

/** Tagged hash (BIP-340) "TapTweak" of the 32 bytes of x, and of the root of the script tree if there is one. */
export function tapTweakOf(x: Uint8Array, merkleRoot: Uint8Array = NO_TREE): Uint8Array {
  return hash("sha256", Uint8Array.of(...TAG, ...x, ...merkleRoot), "buffer")
}
