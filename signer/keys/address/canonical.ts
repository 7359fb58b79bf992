/** Ethereum; keys in hex: Ed25519 (64 digits), compressed (66), uncompressed (130). */
const CASELESS = /^(?:0x[0-9a-fA-F]{40}|[0-9a-fA-F]{64}|0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/

/**
 * One spelling for all texts of one address, to store and to compare by. Ethereum and the hex formats do not
 * tell cases apart, the checksum of EIP-55 included; Base58 does. Anything else comes back as it is: whether
 * it is an address shows when it is looked up.
 */
export function canonicalAddress(text: string): string {
  return CASELESS.test(text) ? text.toLowerCase() : text
}
