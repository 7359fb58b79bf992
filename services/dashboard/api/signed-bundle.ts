import { p256 } from "@noble/curves/nist.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { readHex } from "../../../signer/core/encodings.ts"

const bytes = (text: string) => Uint8Array.from(readHex(text))

/** True if the signing half of a key set signed the bytes: ECDSA P-256 over SHA-256, in DER (docs/formats/bundle.md). */
export function isSignedBySigner(dataHex: string, signatureHex: string, keySetHex: string): boolean {
  try {
    const options = { prehash: false, lowS: false, format: "der" } as const
    return p256.verify(bytes(signatureHex), sha256(bytes(dataHex)), bytes(keySetHex.slice(130)), options)
  } catch {
    return false
  }
}
