import { base58xrp, bech32, bech32m } from "@scure/base"
import { base58check, hash160 } from "../../../core/address/encoding.ts"

// Addresses of chains that sign with secp256k1, besides Bitcoin (bitcoin.ts). `key`: the compressed point, 33 bytes.

/** Version bytes of Dogecoin Core's chainparams.cpp. */
export const dogecoinVersions = { mainnet: 0x1e, testnet: 0x71 } as const

/** Readable part of Spark addresses by network (Spark, addressing). */
export const sparkPrefixes = { mainnet: "spark", regtest: "sparkrt" } as const

/** Field 1 of the protobuf message SparkAddress, the identity key: tag, then its length. */
const SPARK_IDENTITY_KEY = [0x0a, 33]
const XRP_ACCOUNT_ID = 0x00

/** Bech32 of HASH160 of the key (Cosmos SDK, ADR-028, "Legacy Public Key Addresses Don't Change"). */
export function cosmosAddress(prefix: "cosmos" | "sei", key: Uint8Array): string {
  return bech32.encode(prefix, bech32.toWords(hash160(key)))
}

/** Pay to public key hash; Dogecoin has no SegWit. */
export function dogecoinAddress(version: number, key: Uint8Array): string {
  return base58check(version, hash160(key))
}

/** Bech32m of `0a 21 || key(33)`. */
export function sparkAddress(prefix: string, key: Uint8Array): string {
  return bech32m.encode(prefix, bech32m.toWords(Uint8Array.of(...SPARK_IDENTITY_KEY, ...key)))
}

/** True if the text has the form of the Spark addresses made here; the checksum is not verified. */
export function isSparkAddress(text: string): boolean {
  return /^spark(?:rt)?1[02-9ac-hj-np-z]{62}$/.test(text)
}

/** Base58Check of HASH160 of the key, in the XRP Ledger's alphabet (XRPL, Address Encoding). */
export function xrpAddress(key: Uint8Array): string {
  return base58check(XRP_ACCOUNT_ID, hash160(key), base58xrp)
}
