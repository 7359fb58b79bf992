import { createHash } from "node:crypto"
import { wordsOf } from "../fingerprint-words.ts"

/**
 * Words of a public key, 88 bits: nobody finds another key with the same ones. Fewer would do for a comparison while both
 * sides wait, but an attacker can search for a key beforehand.
 */
const KEY_WORDS = 8

/** The first 88 bits of SHA-256 of a public key as eight words, to compare by phone on two hosts. */
export function wordsOfKey(publicHex: string): string {
  return wordsOf(createHash("sha256").update(Buffer.from(publicHex, "hex")).digest("hex"), KEY_WORDS)
}
