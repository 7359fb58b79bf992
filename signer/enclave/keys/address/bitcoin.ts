import { bech32, bech32m } from "@scure/base"
import { base58check, hash160, sha256 } from "./encoding.ts"
import { taprootOutputKey } from "./taproot.ts"

export type BitcoinScript = "P2PKH" | "P2SH" | "P2WPKH" | "P2WSH" | "P2TR"

/** Version bytes of Base58Check and the readable part of SegWit addresses (BIP-173), as in chainparams.cpp. */
type Network = { readonly keyHash: number; readonly scriptHash: number; readonly segwit: string }

export const bitcoinNetworks = {
  MAINNET: { keyHash: 0x00, scriptHash: 0x05, segwit: "bc" },
  TESTNET: { keyHash: 0x6f, scriptHash: 0xc4, segwit: "tb" },
  // Signet has the same addresses as testnet; regtest differs in SegWit only.
  SIGNET: { keyHash: 0x6f, scriptHash: 0xc4, segwit: "tb" },
  REGTEST: { keyHash: 0x6f, scriptHash: 0xc4, segwit: "bcrt" },
} as const satisfies Record<string, Network>

/**
 * The address of a single key. `key`: the compressed point, 33 bytes.
 *
 * - P2PKH: HASH160 of the key
 * - P2SH: the P2WPKH program as a script (BIP-49)
 * - P2WPKH: HASH160 of the key, witness version 0 (BIP-141, BIP-173)
 * - P2WSH: the P2PKH script, witness version 0
 * - P2TR: the output key without script tree, witness version 1 (BIP-86, BIP-350)
 */
export function bitcoinAddress(network: Network, script: BitcoinScript, key: Uint8Array): string {
  switch (script) {
    case "P2PKH":
      return base58check(network.keyHash, hash160(key))
    case "P2SH":
      return base58check(network.scriptHash, hash160(keyHashProgram(key)))
    case "P2WPKH":
      return segwit(network, 0, hash160(key))
    case "P2WSH":
      return segwit(network, 0, sha256(payToKeyHash(key)))
    case "P2TR":
      return segwit(network, 1, taprootOutputKey(key))
    default:
      return script satisfies never
  }
}

/** True if the text has the form of the P2TR addresses made here; the checksum is not verified. */
export function isTaprootAddress(text: string): boolean {
  return /^(?:bc|tb|bcrt)1p[02-9ac-hj-np-z]{58}$/.test(text)
}

/** P2WPKH program: OP_0, then 20 bytes. */
function keyHashProgram(key: Uint8Array): Uint8Array {
  return Uint8Array.of(0x00, 0x14, ...hash160(key))
}

/** P2PKH script: OP_DUP OP_HASH160, 20 bytes, OP_EQUALVERIFY OP_CHECKSIG. */
function payToKeyHash(key: Uint8Array): Uint8Array {
  return Uint8Array.of(0x76, 0xa9, 0x14, ...hash160(key), 0x88, 0xac)
}

/** Witness version 0 is Bech32 (BIP-173), all later ones Bech32m (BIP-350). */
function segwit(network: Network, version: 0 | 1, program: Uint8Array): string {
  const encoding = version === 0 ? bech32 : bech32m
  return encoding.encode(network.segwit, [version, ...encoding.toWords(program)])
}
