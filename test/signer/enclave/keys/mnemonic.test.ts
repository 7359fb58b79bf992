import t from "tap"
import { entropyToMnemonic } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import {
  createMnemonic,
  entropyFromMnemonic,
  mnemonicFromEntropy,
  seedFromMnemonic,
} from "../../../../signer/enclave/keys/mnemonic.ts"
import { ownVectors, publishedVectors } from "../../../harness/vectors.ts"
import {
  countingRandom,
  dangerouslyRevealHex,
  dangerouslyRevealText,
  refusalOf,
  secretOf,
  secretText,
} from "./tools.ts"

type Own = {
  valid: { entropy: string; words: string; seed: string }[]
  refused: { why: string; words: string }[]
  refusedLengths: number[]
}
const own = ownVectors<Own>("mnemonics")

t.test("entropy, words and seed are converted for every length", async (t) => {
  for (const { entropy, words, seed } of own.valid) {
    t.equal(dangerouslyRevealText(mnemonicFromEntropy(secretOf(entropy))), words)
    t.equal(dangerouslyRevealHex(entropyFromMnemonic(secretText(words))), entropy)
    t.equal(dangerouslyRevealHex(seedFromMnemonic(secretText(words))), seed)
  }
})

const FIELD = "parameters.wallet.mnemonicLength"

t.test("a new mnemonic has the given entropy and the seed of its words", async (t) => {
  for (const length of [12, 15, 18, 21, 24]) {
    const { entropy, seed } = createMnemonic(length, countingRandom(length), FIELD)
    const words = mnemonicFromEntropy(entropy)
    t.equal(entropy.length, (length / 3) * 4)
    t.equal(dangerouslyRevealText(words).split(" ").length, length)
    t.equal(dangerouslyRevealHex(seed), dangerouslyRevealHex(seedFromMnemonic(words)))
  }
})

t.test("other mnemonic lengths are refused, naming the member", async (t) => {
  for (const length of [...own.refusedLengths, 12.5, Number.NaN]) {
    const refusal = refusalOf(() => createMnemonic(length, countingRandom(), FIELD))
    t.match(refusal, { code: "MNEMONIC_LENGTH_INVALID", field: FIELD }, `${length} words`)
  }
  t.equal(refusalOf(() => mnemonicFromEntropy(secretOf("00".repeat(15))))?.code, "MNEMONIC_LENGTH_INVALID")
})

t.test("a random source that returns too few bytes is an error", async (t) => {
  t.throws(() => createMnemonic(12, () => new Uint8Array(15), FIELD), RangeError)
})

t.test("invalid mnemonics are refused without repeating their words", async (t) => {
  for (const { why, words } of own.refused) {
    const refusal = refusalOf(() => entropyFromMnemonic(secretText(words)))
    t.match(refusal?.code, /^MNEMONIC_(LENGTH_INVALID|WORD_UNKNOWN|CHECKSUM_WRONG)$/, why)
    t.notMatch(refusal?.message, /zzzz|abandon/)
  }
  const valid = own.valid[0]?.words ?? ""
  for (const words of [
    valid.toUpperCase(),
    ` ${valid}`,
    `${valid} `,
    valid.replace(" ", "  "),
    `${valid}\n`,
    valid.slice(0, -1),
  ]) {
    t.ok(
      refusalOf(() => entropyFromMnemonic(secretText(words))),
      JSON.stringify(words.slice(0, 12)),
    )
  }
})

t.test("mnemonics agree with another implementation on every bit position", async (t) => {
  for (let bit = 0; bit < 256; bit++) {
    const entropy = new Uint8Array(32)
    entropy[bit >> 3] = 0x80 >> (bit & 7)
    const words = entropyToMnemonic(entropy, wordlist)
    const hex = Buffer.from(entropy).toString("hex")
    if (dangerouslyRevealText(mnemonicFromEntropy(secretOf(hex))) !== words) t.fail(`words of bit ${bit}`)
    if (dangerouslyRevealHex(entropyFromMnemonic(secretText(words))) !== hex) t.fail(`entropy of bit ${bit}`)
  }
})

t.test("a passphrase is normalized to NFKD", async (t) => {
  const words = secretText(own.valid[0]?.words ?? "")
  const composed = seedFromMnemonic(words, secretText("\u00e9"))
  t.equal(
    dangerouslyRevealHex(composed),
    dangerouslyRevealHex(seedFromMnemonic(words, secretText("e\u0301"))),
  )
  t.not(dangerouslyRevealHex(composed), dangerouslyRevealHex(seedFromMnemonic(words)))
})

const published = publishedVectors<{ english: [string, string, string, string][] }>("bip39/vectors.json")

t.test(
  "mnemonics have the entropy, words and seed of the published BIP-39 vectors",
  published.options,
  async (t) => {
    const { english } = published.read()
    t.equal(english.length, 24)
    for (const [entropy, words, seed] of english) {
      t.equal(dangerouslyRevealText(mnemonicFromEntropy(secretOf(entropy))), words)
      t.equal(dangerouslyRevealHex(entropyFromMnemonic(secretText(words))), entropy)
      t.equal(dangerouslyRevealHex(seedFromMnemonic(secretText(words), secretText("TREZOR"))), seed)
    }
  },
)
