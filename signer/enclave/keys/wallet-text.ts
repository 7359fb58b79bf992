import { Refusal, refuse } from "../../core/refusal.ts"
import { entropyFromMnemonic, mnemonicFromEntropy, seedFromMnemonic } from "./mnemonic.ts"
import { ownBytes, Secret, wipe } from "../../core/crypto/secret.ts"
import type { WalletSource } from "./wallet-secret.ts"

// Wallets as text, as published clients write them: the mnemonic, and a line break and the passphrase if there is one.
// One client writes a separator line between the two on import.

const LINE_BREAK = 0x0a
const SPACE = 0x20
/** Space, tab, and carriage return. */
const BLANKS: readonly number[] = [SPACE, 0x09, 0x0d]
const LINE_BLANKS: readonly number[] = [...BLANKS, LINE_BREAK]
const SEPARATOR = Buffer.from("--PASS--\n")
const WORDS_PER_BYTE = 3 / 4

/** An imported wallet; the caller wipes source and seed. `mnemonicLength` in words. */
export type ReadWallet = {
  readonly source: Required<WalletSource>
  readonly seed: Secret
  readonly mnemonicLength: number
}

/**
 * Reads an imported wallet. Words may be separated by several blanks and in upper case, as other wallets show them.
 * Every byte of the passphrase counts.
 * @throws MNEMONIC_LENGTH_INVALID, MNEMONIC_WORD_UNKNOWN, MNEMONIC_CHECKSUM_WRONG, PASSPHRASE_INVALID
 */
export function readWalletText(text: Secret, field: string): ReadWallet {
  const words = text.use((bytes) => Secret.moveFrom(plainWords(firstLine(bytes))))
  const passphrase = text.use((bytes) => Secret.copyOf(afterFirstLine(bytes)))
  try {
    requirePassphrase(passphrase, field)
    const entropy = entropyFromMnemonic(words, field)
    if (passphrase.length > 0) requireOneMnemonic(text, entropy, field)
    const seed = seedFromMnemonic(words, passphrase)
    const mnemonicLength = entropy.length * WORDS_PER_BYTE
    return { source: { entropy, passphrase }, seed, mnemonicLength }
  } catch (fault) {
    passphrase.wipe()
    throw fault
  } finally {
    words.wipe()
  }
}

/** The text of an export: the mnemonic, or mnemonic, line break and passphrase. The caller wipes it. */
export function writeWalletText({ entropy, passphrase }: WalletSource): Secret {
  const words = mnemonicFromEntropy(entropy)
  if (passphrase === undefined || passphrase.length === 0) return words
  const text = ownBytes(words.length + 1 + passphrase.length)
  words.use((bytes) => text.set(bytes))
  text[words.length] = LINE_BREAK
  passphrase.use((bytes) => text.set(bytes, words.length + 1))
  words.wipe()
  return Secret.moveFrom(text)
}

function firstLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(LINE_BREAK)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

/** Empty when there is only one line. */
function afterFirstLine(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(LINE_BREAK)
  const rest = end === -1 ? bytes.subarray(bytes.length) : bytes.subarray(end + 1)
  return startsWithSeparator(rest) ? rest.subarray(SEPARATOR.length) : rest
}

function startsWithSeparator(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .subarray(0, SEPARATOR.length)
    .equals(SEPARATOR)
}

/** Normalizes words to lower case and single blanks, without blanks at either end. */
function plainWords(line: Uint8Array, blanks = BLANKS): Uint8Array {
  const plain = ownBytes(line.length)
  let length = 0
  let needsSpace = false
  for (const byte of line) {
    if (blanks.includes(byte)) {
      needsSpace = length > 0
      continue
    }
    if (needsSpace) plain[length++] = SPACE
    needsSpace = false
    plain[length++] = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
  }
  const words = Uint8Array.from(plain.subarray(0, length))
  wipe(plain)
  return words
}

/** Requires UTF-8 (BIP-39) without the separator at its start, which an export imported again would lose. */
function requirePassphrase(passphrase: Secret, field: string): void {
  const fault = passphrase.use((bytes) => {
    if (!isUtf8(bytes)) return "it is not UTF-8 text"
    return startsWithSeparator(bytes) ? "it begins with the separator line --PASS--" : undefined
  })
  if (fault !== undefined) throw refuse("PASSPHRASE_INVALID", `invalid passphrase: ${fault}`, { field })
}

/**
 * Refuses a mnemonic broken into lines. Once in sixteen the first 12 of 24 words have a correct checksum, and the rest would be
 * read as their passphrase. Also refuses a mnemonic followed by blank lines. Wipes `entropy` when it refuses.
 */
function requireOneMnemonic(text: Secret, entropy: Secret, field: string): void {
  const words = text.use((bytes) => Secret.moveFrom(plainWords(bytes, LINE_BLANKS)))
  try {
    entropyFromMnemonic(words).wipe()
  } catch (fault) {
    if (fault instanceof Refusal) return
    throw fault
  } finally {
    words.wipe()
  }
  entropy.wipe()
  const sentence = "invalid passphrase: the lines together are a mnemonic; write it on one line"
  throw refuse("PASSPHRASE_INVALID", sentence, { field })
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** Does not decode ASCII, because strings cannot be wiped. */
function isUtf8(bytes: Uint8Array): boolean {
  if (bytes.every((byte) => byte < 0x80)) return true
  try {
    utf8.decode(bytes)
    return true
  } catch {
    return false
  }
}
