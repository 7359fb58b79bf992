import { bech32m } from "@scure/base"

/** Readable part by network (Spark, addressing). */
export const sparkPrefixes = { mainnet: "spark", regtest: "sparkrt" } as const

/** Field 1 of the protobuf message SparkAddress, the identity key: tag, then its length. */
const IDENTITY_KEY = [0x0a, 33]

/** Bech32m of `0a 21 || key(33)`, the compressed point of secp256k1. */
export function sparkAddress(prefix: string, key: Uint8Array): string {
  return bech32m.encode(prefix, bech32m.toWords(Uint8Array.of(...IDENTITY_KEY, ...key)))
}

/** Is it a Spark address, in the spelling that is made here? Its checksum is not looked at. */
export function isSparkAddress(text: string): boolean {
  return /^spark(?:rt)?1[02-9ac-hj-np-z]{62}$/.test(text)
}
