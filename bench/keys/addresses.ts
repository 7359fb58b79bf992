import { randomBytes } from "node:crypto"
import { addressOf } from "../../signer/enclave/keys/address/index.ts"
import type { Curve } from "../../signer/core/crypto/curve.ts"
import { deriveKey } from "../../signer/enclave/keys/derive/index.ts"
import { parsePath } from "../../signer/core/address/path.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import { takeTurns } from "./turns.ts"

/** Per second: `derived` from the seed to the address, `written` from the public key alone. */
export type AddressRound = { derived: number; written: number }

/** One format of each family, with the path that its chain knows, up to the index. */
const families: readonly [string, Curve, string][] = [
  ["ETHEREUM", "CURVE_SECP256K1", "m/44'/60'/0'/0"],
  ["TRON", "CURVE_SECP256K1", "m/44'/195'/0'/0"],
  ["COSMOS", "CURVE_SECP256K1", "m/44'/118'/0'/0"],
  ["SEI", "CURVE_SECP256K1", "m/44'/118'/0'/0"],
  ["XRP", "CURVE_SECP256K1", "m/44'/144'/0'/0"],
  ["DOGE_MAINNET", "CURVE_SECP256K1", "m/44'/3'/0'/0"],
  ["BITCOIN_MAINNET_P2PKH", "CURVE_SECP256K1", "m/44'/0'/0'/0"],
  ["BITCOIN_MAINNET_P2SH", "CURVE_SECP256K1", "m/49'/0'/0'/0"],
  ["BITCOIN_MAINNET_P2WPKH", "CURVE_SECP256K1", "m/84'/0'/0'/0"],
  ["BITCOIN_MAINNET_P2WSH", "CURVE_SECP256K1", "m/48'/0'/0'/2'/0"],
  ["BITCOIN_MAINNET_P2TR", "CURVE_SECP256K1", "m/86'/0'/0'/0"],
  ["SOLANA", "CURVE_ED25519", "m/44'/501'/0'"],
  ["SUI", "CURVE_ED25519", "m/44'/784'/0'/0'"],
  ["APTOS", "CURVE_ED25519", "m/44'/637'/0'/0'"],
  ["XLM", "CURVE_ED25519", "m/44'/148'/0'"],
  ["TON_V3R2", "CURVE_ED25519", "m/44'/607'/0'/0'"],
  ["TON_V4R2", "CURVE_ED25519", "m/44'/607'/0'/0'"],
  ["TON_V5R1", "CURVE_ED25519", "m/44'/607'/0'/0'"],
  ["UNCOMPRESSED", "CURVE_SECP256K1", "m/44'/0'/0'/0"],
  ["COMPRESSED", "CURVE_SECP256K1", "m/44'/0'/0'/0"],
  ["COMPRESSED", "CURVE_ED25519", "m/44'/0'/0'/0'"],
  ["COMPRESSED", "CURVE_P256", "m/44'/0'/0'/0"],
]

/** No address twice: each comes from the next index of its path. */
export function prepareAddresses(): (seconds: number) => Record<string, AddressRound> {
  const seed = Secret.moveFrom(randomBytes(64))
  let index = 0
  return (seconds) => {
    const round: Record<string, AddressRound> = {}
    for (const [format, curve, path] of families) {
      const name = `ADDRESS_FORMAT_${format}`
      const keyAt = (at: number) => deriveKey(curve, seed, parsePath(`${path}/${at}`))
      const known = keyAt(0)
      const derive = () => {
        const key = keyAt(++index)
        addressOf(name, key)
        key.wipe()
      }
      const [derived = 0, written = 0] = takeTurns([derive, () => addressOf(name, known)], seconds)
      round[`${format}, ${curve.replace("CURVE_", "")}`] = { derived, written }
      known.wipe()
    }
    return round
  }
}
