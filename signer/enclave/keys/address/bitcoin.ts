import {
  addressOfScript,
  type BitcoinNetwork,
  type BitcoinScript,
  payToKeyHash,
  payToScriptHash,
  payToWitness,
} from "../../../core/address/bitcoin.ts"
import { hash160, sha256 } from "../../../core/address/encoding.ts"
import { taprootOutputKey } from "./taproot.ts"

/** The address of a single key. `key`: the compressed point, 33 bytes. */
export function bitcoinAddress(network: BitcoinNetwork, script: BitcoinScript, key: Uint8Array): string {
  const address = addressOfScript(scriptOf(script, key), network)?.address
  if (address === undefined) throw new TypeError("the script has no address")
  return address
}

/**
 * - P2PKH: HASH160 of the key
 * - P2SH: the P2WPKH program as a script (BIP-49)
 * - P2WPKH: HASH160 of the key, witness version 0 (BIP-141, BIP-173)
 * - P2WSH: the P2PKH script, witness version 0
 * - P2TR: the output key without script tree, witness version 1 (BIP-86, BIP-350)
 */
function scriptOf(script: BitcoinScript, key: Uint8Array): Uint8Array {
  switch (script) {
    case "P2PKH":
      return payToKeyHash(key)
    case "P2SH":
      return payToScriptHash(payToWitness(0, hash160(key)))
    case "P2WPKH":
      return payToWitness(0, hash160(key))
    case "P2WSH":
      return payToWitness(0, sha256(payToKeyHash(key)))
    case "P2TR":
      return payToWitness(1, taprootOutputKey(key))
    default:
      return script satisfies never
  }
}
