import { wordlist } from "@scure/bip39/wordlists/english.js"
import { elementAt } from "../../core/crypto/element.ts"
import { ownBytes } from "../../core/crypto/secret.ts"

const SPACE = 0x20
const BITS_PER_WORD = 11

/** Writes words with single blanks between them as bytes, so that no string ever contains a mnemonic. */
export function writeWords(indices: readonly number[]): Uint8Array {
  const size = indices.reduce((sum, index) => sum + wordAt(index).length + 1, -1)
  const bytes = ownBytes(size).fill(SPACE)
  let at = 0
  for (const index of indices) {
    const word = wordAt(index)
    for (let i = 0; i < word.length; i++) bytes[at + i] = word.charCodeAt(i)
    at += word.length + 1
  }
  return bytes
}

/** Index of each word between single blanks; -1 for a word that is not in the list, also for an empty one. */
export function readWords(bytes: Uint8Array): number[] {
  const indices: number[] = []
  let start = 0
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== SPACE) continue
    indices.push(indexOf(bytes.subarray(start, at)))
    start = at + 1
  }
  return indices
}

/** Packs the words' indices into a string of bits, 11 each; the last byte is zero-padded. */
export function packIndices(indices: readonly number[]): Uint8Array {
  const bits = ownBytes(Math.ceil((indices.length * BITS_PER_WORD) / 8))
  for (let at = 0; at < indices.length * BITS_PER_WORD; at++) {
    const index = elementAt(indices, Math.floor(at / BITS_PER_WORD))
    const bit = (index >> (BITS_PER_WORD - 1 - (at % BITS_PER_WORD))) & 1
    bits[at >> 3] = elementAt(bits, at >> 3) | (bit << (7 - (at & 7)))
  }
  return bits
}

/** The reverse of `packIndices`. */
export function unpackIndices(bits: Uint8Array, count: number): number[] {
  return Array.from({ length: count }, (_, word) => {
    const at = word * BITS_PER_WORD
    const first = at >> 3
    const three = ((bits[first] ?? 0) << 16) | ((bits[first + 1] ?? 0) << 8) | (bits[first + 2] ?? 0)
    return (three >> (24 - BITS_PER_WORD - (at & 7))) & 0x7ff
  })
}

const wordAt = (index: number): string => elementAt(wordlist, index)

/** The first four letters identify a word of the list (BIP-39, wordlist). */
const byFourLetters = new Map(wordlist.map((word, index) => [fourLetters((i) => word.charCodeAt(i)), index]))

function indexOf(bytes: Uint8Array): number {
  const index = byFourLetters.get(fourLetters((i) => bytes[i] ?? 0))
  if (index === undefined) return -1
  const word = wordAt(index)
  if (word.length !== bytes.length) return -1
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== bytes[i]) return -1
  return index
}

function fourLetters(letter: (index: number) => number): number {
  return ((letter(0) | 0) << 24) | ((letter(1) | 0) << 16) | ((letter(2) | 0) << 8) | (letter(3) | 0)
}
