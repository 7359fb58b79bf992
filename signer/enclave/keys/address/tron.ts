import { base58check } from "./base58check.ts"
import { ethereumBytes } from "../../../core/address/ethereum.ts"

const PREFIX = 0x41

/** Base58Check of 41 and the 20 bytes that Ethereum would have; of an uncompressed point, 65 bytes. */
export function tronAddress(point: Uint8Array): string {
  return base58check(PREFIX, ethereumBytes(point))
}
