import { wordlist } from "@scure/bip39/wordlists/english.js"

/** Words of an activity's fingerprint. To compare by ear; the whole digest decides. */
const FINGERPRINT_WORDS = 5
const BITS = 11n

/** The first bits of a digest as words of BIP-39, eleven bits each; at most 23 words. */
export function wordsOf(digestHex: string, count = FINGERPRINT_WORDS): string {
  const number = BigInt(`0x${digestHex.slice(0, 64).padEnd(64, "0")}`) >> (256n - BITS * BigInt(count))
  return Array.from({ length: count }, (_, index) => {
    const place = BigInt(count - 1 - index) * BITS
    return wordlist[Number((number >> place) & 2047n)]
  }).join("-")
}
