/** Ethereum; keys in hex: Ed25519 (64 digits), compressed (66), uncompressed (130). */
const CASELESS = /^(?:0x[0-9a-fA-F]{40}|[0-9a-fA-F]{64}|0[23][0-9a-fA-F]{64}|04[0-9a-fA-F]{128})$/

/**
 * One spelling for all texts of one address, to store and to look up by: the signer's own rule, which this tier
 * may not import. A test holds the two together.
 */
export function canonicalAddress(text: string): string {
  return CASELESS.test(text) ? text.toLowerCase() : text
}
