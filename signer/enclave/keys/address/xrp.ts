import { base58xrp } from "@scure/base"
import { base58check } from "./base58check.ts"
import { hash160 } from "./hashes.ts"

const ACCOUNT_ID = 0x00

/** Base58Check in the XRP Ledger's own alphabet, of HASH160 of the compressed point (XRPL, Address Encoding). */
export function xrpAddress(key: Uint8Array): string {
  return base58check(ACCOUNT_ID, hash160(key), base58xrp)
}
