import { hash, pbkdf2Sync } from "node:crypto"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import { elementAt } from "../../core/crypto/element.ts"
import { ownBytes, type RandomBytes, Secret, wipe, wiping } from "../../core/crypto/secret.ts"
import { type RefusalName, refuse } from "../../core/refusal.ts"

export const DEFAULT_MNEMONIC_LENGTH = 12

const LENGTHS: readonly number[] = [12, 15, 18, 21, 24]
const SEED_LENGTH = 64
const SEED_ROUNDS = 2048
const SEED_SALT = Buffer.from("mnemonic")

/** Entropy of a new BIP-39 mnemonic, and its seed without passphrase; the caller wipes both. @throws MNEMONIC_LENGTH_INVALID */
export function createMnemonic(length: number, random: RandomBytes, field: string) {
  requireLength(length, field)
  const entropy = Secret.moveFrom(random(entropyLength(length)))
  if (entropy.length !== entropyLength(length))
    throw new RangeError("the random source returned another length")
  const words = mnemonicFromEntropy(entropy)
  return wiping([words], () => ({ entropy, seed: seedFromMnemonic(words) }))
}

/** BIP-39, "Generating the mnemonic", from 16, 20, 24, 28 or 32 bytes. @throws MNEMONIC_LENGTH_INVALID */
export function mnemonicFromEntropy(entropy: Secret): Secret {
  const length = (entropy.length / 4) * 3
  requireLength(length)
  const bits = entropy.use(withChecksum)
  const indices = unpackIndices(bits, length)
  try {
    return Secret.moveFrom(writeWords(indices))
  } finally {
    wipe(bits)
    indices.fill(0)
  }
}

/**
 * The entropy of a mnemonic. Strict: words of the English list in lower case, single blanks, correct checksum. Refusals
 * name the position of a word, never the word.
 * @throws MNEMONIC_LENGTH_INVALID, MNEMONIC_WORD_UNKNOWN, MNEMONIC_CHECKSUM_WRONG
 */
export function entropyFromMnemonic(mnemonic: Secret, field?: string): Secret {
  const indices = mnemonic.use(readWords)
  try {
    return entropyOf(indices, field)
  } finally {
    indices.fill(0)
  }
}

function entropyOf(indices: readonly number[], field?: string): Secret {
  requireLength(indices.length, field)
  const unknown = indices.indexOf(-1)
  if (unknown !== -1) {
    const sentence = `invalid mnemonic: word ${unknown + 1} is not in the English list`
    throw invalid("MNEMONIC_WORD_UNKNOWN", sentence, field)
  }
  const bits = packIndices(indices)
  const entropy = Secret.copyOf(bits.subarray(0, entropyLength(indices.length)))
  const expected = entropy.use(withChecksum)
  const unused = 8 - indices.length / 3 // bits of the last byte after the checksum
  const differs = (elementAt(bits, entropy.length) ^ elementAt(expected, entropy.length)) >> unused
  wipe(bits, expected)
  if (differs === 0) return entropy
  entropy.wipe()
  throw invalid("MNEMONIC_CHECKSUM_WRONG", "invalid mnemonic: its checksum does not fit its words", field)
}

/**
 * BIP-39, "From mnemonic to seed": PBKDF2-HMAC-SHA512, 2048 rounds, salt "mnemonic" || passphrase; 64 bytes. Mnemonic
 * and passphrase are UTF-8 and normalized to NFKD here. It takes about 1 ms, so the seed is sealed with the wallet.
 */
export function seedFromMnemonic(mnemonic: Secret, passphrase?: Secret): Secret {
  const words = mnemonic.use(toNfkd)
  const extra = passphrase?.use(toNfkd) ?? ownBytes(0)
  const salt = ownBytes(SEED_SALT.length + extra.length)
  salt.set(SEED_SALT)
  salt.set(extra, SEED_SALT.length)
  try {
    return Secret.moveFrom(pbkdf2Sync(words, salt, SEED_ROUNDS, SEED_LENGTH, "sha512"))
  } finally {
    wipe(words, extra, salt)
  }
}

function requireLength(length: number, field?: string): void {
  if (LENGTHS.includes(length)) return
  throw invalid("MNEMONIC_LENGTH_INVALID", "a mnemonic has 12, 15, 18, 21 or 24 words", field)
}

/** Published clients match "invalid mnemonic" in the sentences about words and checksum. */
function invalid(code: RefusalName, sentence: string, field?: string) {
  return refuse(code, sentence, field === undefined ? {} : { field })
}

/** Bytes of entropy for a number of words: 4 for each 3. */
const entropyLength = (words: number): number => (words / 3) * 4

/** entropy || first byte of its SHA-256, whose first length/3 bits are the checksum. */
function withChecksum(entropy: Uint8Array): Uint8Array {
  const bits = ownBytes(entropy.length + 1)
  const digest = hash("sha256", entropy, "buffer")
  bits.set(entropy)
  bits.set(digest.subarray(0, 1), entropy.length)
  wipe(digest)
  return bits
}

/** `ignoreBOM`: keeps a byte order mark as part of the text. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** ASCII text is in NFKD already. Other text passes through a string, which cannot be wiped. */
function toNfkd(bytes: Uint8Array): Uint8Array {
  if (bytes.every((byte) => byte < 0x80)) return Uint8Array.from(bytes)
  return new TextEncoder().encode(utf8.decode(bytes).normalize("NFKD"))
}

const SPACE = 0x20
const BITS_PER_WORD = 11

/** Writes words with single blanks between them as bytes, so that no string ever contains a mnemonic. */
function writeWords(indices: readonly number[]): Uint8Array {
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
function readWords(bytes: Uint8Array): number[] {
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
function packIndices(indices: readonly number[]): Uint8Array {
  const bits = ownBytes(Math.ceil((indices.length * BITS_PER_WORD) / 8))
  for (let at = 0; at < indices.length * BITS_PER_WORD; at++) {
    const index = elementAt(indices, Math.floor(at / BITS_PER_WORD))
    const bit = (index >> (BITS_PER_WORD - 1 - (at % BITS_PER_WORD))) & 1
    bits[at >> 3] = elementAt(bits, at >> 3) | (bit << (7 - (at & 7)))
  }
  return bits
}

/** The reverse of `packIndices`. */
function unpackIndices(bits: Uint8Array, count: number): number[] {
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
