// A mnemonic, read before anything is sent: the same rules as the signer's (signer/enclave/keys/mnemonic.ts). Loaded when a wallet is
// imported. Sentences name the position of a word, never the word.
import { mnemonicToEntropy } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import { ApiFault } from "./client.ts"
import { listOf } from "../words/time.ts"

const LENGTHS: readonly number[] = [12, 15, 18, 21, 24]
const MAX_NAMED = 4

/** The words of a text in lower case, with single blanks between them. @throws {ApiFault} beside the field of this name */
export function readMnemonic(text: string, field: string): string {
  const fault = (sentence: string) => new ApiFault(sentence, { field, reason: "MNEMONIC_INVALID" })
  const words = text
    .normalize("NFKD")
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
  const unknown = words.flatMap((word, index) => (wordlist.includes(word) ? [] : [index + 1]))
  if (unknown.length > 0)
    throw fault(`${positionsOf(unknown)} not in the English list: look for a typing error. Nothing was sent.`)
  if (!LENGTHS.includes(words.length))
    throw fault(`A mnemonic has 12, 15, 18, 21 or 24 words; this has ${words.length}. Nothing was sent.`)
  const mnemonic = words.join(" ")
  try {
    mnemonicToEntropy(mnemonic, wordlist).fill(0)
  } catch {
    throw fault(
      "The checksum does not fit: a word is wrong, or the order is. Compare them with your copy. Nothing was sent.",
    )
  }
  return mnemonic
}

/** "Word 3 is", "Words 1, 2, 3, 4 and 8 more are". */
function positionsOf(positions: readonly number[]): string {
  if (positions.length === 1) return `Word ${positions[0]} is`
  const others = positions.length - MAX_NAMED
  const named = [...positions.slice(0, MAX_NAMED).map(String), ...(others > 0 ? [`${others} more`] : [])]
  return `Words ${listOf(named)} are`
}
