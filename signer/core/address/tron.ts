import { base58 } from "@scure/base"
import { base58check } from "./encoding.ts"
import { ethereumBytes } from "./ethereum.ts"

/** First of the 21 bytes of an address on Tron's main network and on its test networks. */
export const TRON_VERSION = 0x41

/** Base58Check of 41 and the 20 bytes of the Ethereum address. `point`: uncompressed, 65 bytes. */
export function tronAddress(point: Uint8Array): string {
  return tronAddressOf(ethereumBytes(point))
}

/** The address of an account or a contract, by its 20 bytes. */
export function tronAddressOf(bytes: Uint8Array): string {
  return base58check(TRON_VERSION, bytes)
}

const TRON_ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/

/** True for Base58Check of 41 and 20 bytes. */
export function isTronAddress(text: string): boolean {
  return TRON_ADDRESS.test(text) && tronAddressOf(base58.decode(text).subarray(1, 21)) === text
}
