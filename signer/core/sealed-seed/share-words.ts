import { wordlist } from "@scure/bip39/wordlists/english.js"
import { ownBytes, Secret, wipe } from "../crypto/secret.ts"
import { hasShareForm, mistyped, SHARE_LENGTH } from "./share.ts"

/** Words of a share: the BIP-39 list has 2,048, eleven bits each. No BIP-39 wallet accepts forty words. */
export const SHARE_WORDS = 40
const WORD_BITS = 11
/** Words of the list differ in their first four letters (BIP-39). */
const UNIQUE_LETTERS = 4

/** Place of each word and of its first four letters in the list. */
const PLACES: ReadonlyMap<string, number> = new Map(
  wordlist.flatMap((word, index) => [
    [word, index],
    [word.slice(0, UNIQUE_LETTERS), index],
  ]),
)

/** The words of a share. Strings cannot be wiped: the process that shows or reads them ends soon after. */
export function wordsOfShare(share: Secret): string[] {
  return share.use((bytes) => indexesOf(bytes).map((index) => wordlist[index] ?? ""))
}

/**
 * Reads the words of a share, in any case; of a word four letters suffice. A single wrong word, and two words in the wrong
 * order, are found by the checksum.
 *
 * @throws SHARE_MISTYPED with the place of the word
 */
export function readShareWords(text: string): Secret {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "")
  const indexes = words.map((word, index) => {
    const place = PLACES.get(word)
    if (place !== undefined) return place
    throw mistyped(`word ${index + 1} is not on the list of words: compare it with the sheet`)
  })
  if (indexes.length !== SHARE_WORDS)
    throw mistyped(`a share has ${SHARE_WORDS} words, not ${indexes.length}: compare them with the sheet`)
  const bytes = bytesOf(indexes)
  if (hasShareForm(bytes)) return Secret.moveFrom(bytes)
  wipe(bytes)
  throw mistyped(faultIn(indexes))
}

/** The place of the fault. Among 83,000 altered texts the checksum of 40 bits fits a wrong one by chance once in ten million shares. */
function faultIn(indexes: readonly number[]): string {
  for (const [at, index] of indexes.entries()) {
    const next = indexes[at + 1]
    if (next !== undefined && fits(indexes.toSpliced(at, 2, next, index)))
      return `words ${at + 1} and ${at + 2} are in the wrong order: compare them with the sheet`
  }
  for (const at of indexes.keys())
    for (let other = 0; other < wordlist.length; other += 1)
      if (fits(indexes.with(at, other))) return `word ${at + 1} is wrong: compare it with the sheet`
  return "the words are all on the list, and more than one is wrong: compare each with the sheet"
}

function fits(indexes: readonly number[]): boolean {
  const bytes = bytesOf(indexes)
  const isShare = hasShareForm(bytes)
  wipe(bytes)
  return isShare
}

function indexesOf(bytes: Uint8Array): number[] {
  const number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  return Array.from({ length: SHARE_WORDS }, (_, index) => {
    const shift = BigInt((SHARE_WORDS - 1 - index) * WORD_BITS)
    return Number((number >> shift) & 2047n)
  })
}

/** Eight words are eleven bytes. */
function bytesOf(indexes: readonly number[]): Uint8Array {
  const bytes = ownBytes(SHARE_LENGTH)
  let [held, bits, at] = [0, 0, 0]
  for (const index of indexes) {
    held = (held << WORD_BITS) | index
    bits += WORD_BITS
    for (; bits >= 8; at += 1) {
      bits -= 8
      bytes[at] = held >> bits
      held &= (1 << bits) - 1
    }
  }
  return bytes
}
