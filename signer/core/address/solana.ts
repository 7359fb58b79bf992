import { base58 } from "@scure/base"

/** Base58 of 32 bytes has 32 to 44 characters. */
const SOLANA_ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
const SOLANA_ADDRESS_BYTES = 32

/** True for Base58 of 32 bytes. */
export function isSolanaAddress(text: string): boolean {
  return SOLANA_ADDRESS.test(text) && base58.decode(text).length === SOLANA_ADDRESS_BYTES
}
