import { createHash } from "node:crypto"
import { wordsOf } from "../fingerprint-words.ts"

/** The first 88 bits of SHA-256 of a public key as eight words, to compare by phone on two hosts. */
export function wordsOfKey(publicHex: string): string {
  return wordsOf(createHash("sha256").update(Buffer.from(publicHex, "hex")).digest("hex"))
}
