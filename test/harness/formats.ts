import { createHash } from "node:crypto"
import { ed25519 } from "@noble/curves/ed25519.js"
import { p256 } from "@noble/curves/nist.js"
import { schnorr, secp256k1 } from "@noble/curves/secp256k1.js"
import { initEccLib, payments } from "bitcoinjs-lib"
import * as ecc from "tiny-secp256k1"
import type { Curve } from "../../signer/core/crypto/curve.ts"
import { ADDRESS_FORMAT, ADDRESS_FORMAT_BEYOND } from "../contract/tables/enums.ts"

export type Pair = { curve: Curve; addressFormat: string }

const ED25519 = /SOLANA|SUI|APTOS|XLM|TON_/
const MESSAGE = "signed by an account of every format"

initEccLib(ecc)

function curvesOf(format: string): Curve[] {
  if (format === "ADDRESS_FORMAT_COMPRESSED") return ["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"]
  if (format === "ADDRESS_FORMAT_UNCOMPRESSED") return ["CURVE_SECP256K1", "CURVE_P256"]
  return [ED25519.test(format) ? "CURVE_ED25519" : "CURVE_SECP256K1"]
}

/** Every format of the interface with each curve that it goes with. */
export const allPairs: readonly Pair[] = [...ADDRESS_FORMAT, ...ADDRESS_FORMAT_BEYOND].flatMap(
  (addressFormat) => curvesOf(addressFormat).map((curve) => ({ curve, addressFormat })),
)

/** Account params of a pair; `path` without its m. */
export function accountOf(pair: Pair, path: string) {
  return { ...pair, path: `m${path}`, pathFormat: "PATH_FORMAT_BIP32" }
}

/** Params of sign_raw_payload that go with the curve. */
export function signParamsOf({ curve }: Pair, signWith: string) {
  const hashFunction = curve === "CURVE_ED25519" ? "HASH_FUNCTION_NOT_APPLICABLE" : "HASH_FUNCTION_SHA256"
  return { signWith, payload: MESSAGE, encoding: "PAYLOAD_ENCODING_TEXT_UTF8", hashFunction }
}

/** True if an account of this pair made this signature for `signParamsOf`. `publicKey`: hex, from the record. */
export function isSignatureOf(
  { curve, addressFormat }: Pair,
  publicKey: string,
  signature: { r: string; s: string },
): boolean {
  const bytes = Buffer.from(signature.r + signature.s, "hex")
  const key = Buffer.from(publicKey, "hex")
  const digest = createHash("sha256").update(MESSAGE).digest()
  if (curve === "CURVE_ED25519") return ed25519.verify(bytes, Buffer.from(MESSAGE), key)
  if (curve === "CURVE_P256") return p256.verify(bytes, digest, key, { prehash: false, lowS: true })
  if (addressFormat.includes("_SPARK_")) return schnorr.verify(bytes, digest, xOnly(key))
  if (!addressFormat.endsWith("_P2TR")) {
    return secp256k1.verify(bytes, digest, key, { prehash: false, lowS: true })
  }
  const { pubkey } = payments.p2tr({ internalPubkey: xOnly(key) })
  return pubkey !== undefined && schnorr.verify(bytes, digest, pubkey)
}

/** The x coordinate of a point of secp256k1, compressed or not. */
function xOnly(point: Uint8Array): Uint8Array {
  return Uint8Array.from(point.subarray(1, 33))
}

/** Another spelling of the same address, where the format has one. */
export function respelled(format: string, address: string): string | undefined {
  if (/_(?:P2WPKH|P2WSH|P2TR)$|COSMOS|SEI|SPARK|COMPRESSED$/.test(format)) return address.toUpperCase()
  if (/SUI|APTOS/.test(format)) return address.toUpperCase().replace("0X", "0x")
  if (/ETHEREUM/.test(format)) return address.toLowerCase()
  if (!/TON_/.test(format)) return undefined
  return `0:${Buffer.from(address, "base64url").toString("hex", 2, 34)}`
}
