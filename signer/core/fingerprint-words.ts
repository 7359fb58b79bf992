import { wordlist } from "@scure/bip39/wordlists/english.js"

/**
 * Number of words, 88 bits. An attacker who wants two requests with the same words tries 2^44 of them; with five words 2^28, which
 * takes minutes. For the words of a given request or key they try 2^88.
 */
const WORDS = 8
const BITS = 11n

/** The first bits of a digest as words of BIP-39, eleven bits each, to compare by ear. The whole digest decides. */
export function wordsOf(digestHex: string): string {
  const number = BigInt(`0x${digestHex.slice(0, 64).padEnd(64, "0")}`) >> (256n - BITS * BigInt(WORDS))
  return Array.from({ length: WORDS }, (_, index) => {
    const place = BigInt(WORDS - 1 - index) * BITS
    return wordlist[Number((number >> place) & 2047n)]
  }).join("-")
}
