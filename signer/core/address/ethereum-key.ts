import { secp256k1 } from "@noble/curves/secp256k1.js"
import { ethereumAddress } from "./ethereum.ts"

/** The address of a public key in hexadecimal, compressed or not. */
export function ethereumAddressOfKey(publicKeyHex: string): string {
  return ethereumAddress(secp256k1.Point.fromHex(publicKeyHex).toBytes(false))
}
