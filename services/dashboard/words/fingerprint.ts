import { wordlist } from "@scure/bip39/wordlists/english.js"

/** Words of a fingerprint: its first 55 bits as five words of BIP-39. To compare by ear; the whole digest decides. */
const WORDS = 5
const BITS = 11n

export function wordsOf(digestHex: string): string {
  const number = BigInt(`0x${digestHex.slice(0, 16).padEnd(16, "0")}`) >> (64n - BITS * BigInt(WORDS))
  return Array.from({ length: WORDS }, (_, index) => {
    const place = BigInt(WORDS - 1 - index) * BITS
    return wordlist[Number((number >> place) & 2047n)]
  }).join("-")
}
