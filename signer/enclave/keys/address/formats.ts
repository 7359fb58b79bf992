import type { BitcoinNetwork, BitcoinScript } from "../../../core/address/bitcoin.ts"
import { ethereumAddress } from "../../../core/address/ethereum.ts"
import { tronAddress } from "../../../core/address/tron.ts"
import type { Curve } from "../../../core/crypto/curve.ts"
import { bitcoinAddress } from "./bitcoin.ts"
import { aptosAddress, solanaAddress, stellarAddress, suiAddress } from "./ed25519-chains.ts"
import {
  cosmosAddress,
  dogecoinAddress,
  dogecoinVersions,
  sparkAddress,
  sparkPrefixes,
  xrpAddress,
} from "./secp256k1-chains.ts"
import { tonAddress, tonWallets } from "./ton.ts"

/** A public key in hex, as in SigningKey. */
export type PublicKey = {
  readonly curve: Curve
  /** 66 digits; 64 for Ed25519. */
  readonly publicKeyHex: string
  /** 130 digits; undefined for Ed25519. */
  readonly publicKeyUncompressed: string | undefined
}

export type Format = { readonly curves: readonly Curve[]; write(key: PublicKey): string }

const K1: readonly Curve[] = ["CURVE_SECP256K1"]
const ED25519: readonly Curve[] = ["CURVE_ED25519"]

/** All served address formats and their curves (docs/formats/addresses.md). All other pairs are refused. */
export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ["ADDRESS_FORMAT_UNCOMPRESSED", { curves: ["CURVE_SECP256K1", "CURVE_P256"], write: uncompressedHex }],
  [
    "ADDRESS_FORMAT_COMPRESSED",
    { curves: ["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"], write: ({ publicKeyHex }) => publicKeyHex },
  ],
  ["ADDRESS_FORMAT_ETHEREUM", ofUncompressed(ethereumAddress)],
  ["ADDRESS_FORMAT_SOLANA", ofKey(ED25519, solanaAddress)],
  ["ADDRESS_FORMAT_COSMOS", ofKey(K1, (key) => cosmosAddress("cosmos", key))],
  ["ADDRESS_FORMAT_TRON", ofUncompressed(tronAddress)],
  ["ADDRESS_FORMAT_SUI", ofKey(ED25519, suiAddress)],
  ["ADDRESS_FORMAT_APTOS", ofKey(ED25519, aptosAddress)],
  ...bitcoinFormats("MAINNET"),
  ...bitcoinFormats("TESTNET"),
  ...bitcoinFormats("SIGNET"),
  ...bitcoinFormats("REGTEST"),
  ["ADDRESS_FORMAT_SEI", ofKey(K1, (key) => cosmosAddress("sei", key))],
  ["ADDRESS_FORMAT_XLM", ofKey(ED25519, stellarAddress)],
  ["ADDRESS_FORMAT_DOGE_MAINNET", ofKey(K1, (key) => dogecoinAddress(dogecoinVersions.mainnet, key))],
  ["ADDRESS_FORMAT_DOGE_TESTNET", ofKey(K1, (key) => dogecoinAddress(dogecoinVersions.testnet, key))],
  ["ADDRESS_FORMAT_TON_V3R2", ofKey(ED25519, (key) => tonAddress(tonWallets.V3R2, key))],
  ["ADDRESS_FORMAT_TON_V4R2", ofKey(ED25519, (key) => tonAddress(tonWallets.V4R2, key))],
  ["ADDRESS_FORMAT_XRP", ofKey(K1, xrpAddress)],
  ["ADDRESS_FORMAT_TON_V5R1", ofKey(ED25519, (key) => tonAddress(tonWallets.V5R1, key))],
  ["ADDRESS_FORMAT_SPARK_MAINNET", ofKey(K1, (key) => sparkAddress(sparkPrefixes.mainnet, key))],
  ["ADDRESS_FORMAT_SPARK_REGTEST", ofKey(K1, (key) => sparkAddress(sparkPrefixes.regtest, key))],
])

function bitcoinFormats(network: BitcoinNetwork): [string, Format][] {
  const scripts: readonly BitcoinScript[] = ["P2PKH", "P2SH", "P2WPKH", "P2WSH", "P2TR"]
  return scripts.map((script) => [
    `ADDRESS_FORMAT_BITCOIN_${network}_${script}`,
    ofKey(K1, (key) => bitcoinAddress(network, script, key)),
  ])
}

/** A format of the compressed point (33 bytes) or of the Ed25519 key (32 bytes). */
function ofKey(curves: readonly Curve[], write: (key: Uint8Array) => string): Format {
  return { curves, write: ({ publicKeyHex }) => write(bytesOf(publicKeyHex)) }
}

/** A format of the uncompressed point of secp256k1 (65 bytes). */
function ofUncompressed(write: (point: Uint8Array) => string): Format {
  return { curves: K1, write: (key) => write(bytesOf(uncompressedHex(key))) }
}

function uncompressedHex({ publicKeyUncompressed }: PublicKey): string {
  if (publicKeyUncompressed === undefined) throw new TypeError("this curve has no uncompressed form")
  return publicKeyUncompressed
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, "hex"))
}
