import { hash, pbkdf2Sync } from "node:crypto"
import { elementAt } from "../../core/crypto/element.ts"
import { ownBytes, Secret, wipe } from "../../core/crypto/secret.ts"
import { type RefusalName, refuse } from "../../core/refusal.ts"
import { packIndices, readWords, unpackIndices, writeWords } from "./mnemonic-words.ts"

export const DEFAULT_MNEMONIC_LENGTH = 12

const LENGTHS: readonly number[] = [12, 15, 18, 21, 24]
const SEED_LENGTH = 64
const SEED_ROUNDS = 2048
const SEED_SALT = Buffer.from("mnemonic")

/**
 * Generates the entropy of a BIP-39 mnemonic of 12, 15, 18, 21 or 24 English words, and its seed without passphrase.
 * The caller wipes both. @throws MNEMONIC_LENGTH_INVALID
 */
export function createMnemonic(
  length: number,
  random: (length: number) => Uint8Array,
  field = "parameters.mnemonicLength",
): { entropy: Secret; seed: Secret } {
  requireLength(length, field)
  const entropy = Secret.moveFrom(random(entropyLength(length)))
  if (entropy.length !== entropyLength(length))
    throw new RangeError("the random source returned another length")
  const words = mnemonicFromEntropy(entropy)
  try {
    return { entropy, seed: seedFromMnemonic(words) }
  } finally {
    words.wipe()
  }
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
