import { hash } from "node:crypto"
import { secp256k1 } from "../engine.ts"

const EVEN_Y = 0x02
const TAG = Buffer.from(hash("sha256", "TapTweak", "hex").repeat(2), "hex")

/**
 * Output key without script tree, 32 bytes: the x of P + int(tapTweakOf(P))G, where P has the x of `key` and an even y
 * (BIP-341, constructing and spending Taproot outputs; BIP-86). `key`: compressed point.
 */
export function taprootOutputKey(key: Uint8Array): Uint8Array {
  const x = key.subarray(1)
  return secp256k1.addToPoint(Uint8Array.of(EVEN_Y, ...x), tapTweakOf(x)).subarray(1)
}

/** Tagged hash (BIP-340) "TapTweak" of the 32 bytes of x, without a script tree. */
export function tapTweakOf(x: Uint8Array): Uint8Array {
  return hash("sha256", Uint8Array.of(...TAG, ...x), "buffer")
}
