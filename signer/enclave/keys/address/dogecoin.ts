import { base58check } from "./base58check.ts"
import { hash160 } from "./hashes.ts"

/** Version bytes of Dogecoin Core's chainparams.cpp. */
export const dogecoinVersions = { mainnet: 0x1e, testnet: 0x71 } as const

/** Pay to the hash of a key, of its compressed point; Dogecoin has no SegWit. */
export function dogecoinAddress(version: number, key: Uint8Array): string {
  return base58check(version, hash160(key))
}
