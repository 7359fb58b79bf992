import { mnemonicToSeedSync, validateMnemonic } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import fc from "fast-check"
import t from "tap"
import { mnemonicFromEntropy } from "../../../../signer/enclave/keys/mnemonic.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { packWalletSecret, seedOf, sourceOf } from "../../../../signer/enclave/keys/wallet-secret.ts"
import { readWalletText, writeWalletText } from "../../../../signer/enclave/keys/wallet-text.ts"
import { dangerouslyRevealHex, dangerouslyRevealText, refusalOf, secretText, toHex } from "./tools.ts"

const FIELD = "parameters.encryptedBundle"
const WORDS = "test test test test test test test test test test test junk"
const TREZOR =
  "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04"
const ABANDON = `${"abandon ".repeat(11)}about`

/** 24 words with a right checksum, of which the first twelve have one of their own. */
const TWO_LINES = twoLines()

function twoLines(): string {
  for (let draw = 0; ; draw++) {
    const entropy = Secret.copyOf(Buffer.alloc(32, draw))
    const words = dangerouslyRevealText(mnemonicFromEntropy(entropy)).split(" ")
    const first = words.slice(0, 12).join(" ")
    if (validateMnemonic(first, wordlist)) return `${first}\n${words.slice(12).join(" ")}`
  }
}

const read = (text: string | Uint8Array) => readWalletText(Secret.copyOf(Buffer.from(text as string)), FIELD)

t.test("readWalletText reads words with a passphrase in both forms, and without", async (t) => {
  for (const [text, passphrase] of [
    [WORDS, ""],
    [`${WORDS}\n`, ""],
    [`${WORDS}\n--PASS--\n`, ""],
    [`${WORDS}\ncorrect horse`, "correct horse"],
    [`${WORDS}\n--PASS--\ncorrect horse`, "correct horse"],
    [`${WORDS}\n two\nlines \n`, " two\nlines \n"],
    [`${WORDS}\n--PASS--`, "--PASS--"],
    [`${WORDS}\n\n--PASS--\nx`, "\n--PASS--\nx"],
    [`${WORDS}\n\ufeffr\u00e9sum\u00e9`, "\ufeffr\u00e9sum\u00e9"],
  ] as const) {
    const { source, seed, mnemonicLength } = read(text)
    t.equal(dangerouslyRevealText(source.passphrase), passphrase, JSON.stringify(text))
    t.equal(dangerouslyRevealText(mnemonicFromEntropy(source.entropy)), WORDS)
    t.equal(dangerouslyRevealHex(seed), toHex(mnemonicToSeedSync(WORDS, passphrase)))
    t.equal(mnemonicLength, 12)
  }
})

t.test("readWalletText returns the seed of the BIP-39 vectors for words and passphrase", async (t) => {
  t.equal(dangerouslyRevealHex(read(`${ABANDON}\nTREZOR`).seed), TREZOR)
})

t.test("readWalletText reads upper case and several blanks between words", async (t) => {
  const plain = dangerouslyRevealHex(read(WORDS).seed)
  for (const text of [
    WORDS.toUpperCase(),
    ` \t${WORDS.replaceAll(" ", " \t  ")} `,
    `${WORDS}\r\n`,
    WORDS.replace("test", "Test"),
  ])
    t.equal(dangerouslyRevealHex(read(text).seed), plain, JSON.stringify(text))
})

t.test("readWalletText refuses each fault by its own code, without repeating words", async (t) => {
  const broken = Buffer.concat([Buffer.from(`${WORDS}\n`), Buffer.from([0xff, 0xfe])])
  for (const [text, code] of [
    ["", "MNEMONIC_LENGTH_INVALID"],
    [WORDS.replace(" junk", ""), "MNEMONIC_LENGTH_INVALID"],
    [`${WORDS} ${WORDS} test`, "MNEMONIC_LENGTH_INVALID"],
    [WORDS.replaceAll(" ", "\n"), "MNEMONIC_LENGTH_INVALID"],
    [`\n${WORDS}`, "MNEMONIC_LENGTH_INVALID"],
    [WORDS.replace("junk", "junkyard"), "MNEMONIC_WORD_UNKNOWN"],
    [WORDS.replace("junk", "t\u00e9st"), "MNEMONIC_WORD_UNKNOWN"],
    [
      `${"\u3042\u3044\u3053\u304f\u3057\u3093 ".repeat(11)}\u3042\u304a\u305e\u3089`,
      "MNEMONIC_WORD_UNKNOWN",
    ],
    [WORDS.replace("junk", "test"), "MNEMONIC_CHECKSUM_WRONG"],
    [broken, "PASSPHRASE_INVALID"],
    [`${WORDS}\n--PASS--\n--PASS--\nx`, "PASSPHRASE_INVALID"],
    [`${WORDS}\n\n`, "PASSPHRASE_INVALID"],
    [`${WORDS}\n \r\n`, "PASSPHRASE_INVALID"],
    [TWO_LINES, "PASSPHRASE_INVALID"],
    [TWO_LINES.replace("\n", "\r\n").toUpperCase(), "PASSPHRASE_INVALID"],
  ] as const) {
    const refusal = refusalOf(() => read(text))
    t.match(refusal, { code, field: FIELD }, JSON.stringify(text))
    t.notMatch(refusal?.message, /test|junk|t\u00e9st/)
  }
})

t.test("a wallet text that is read and written again is the same, packed or not", async () => {
  const entropy = fc
    .constantFrom(16, 20, 24, 28, 32)
    .chain((n) => fc.uint8Array({ minLength: n, maxLength: n }))
  const passphrase = fc
    .string({ unit: "grapheme" })
    .filter((text) => !text.startsWith("--PASS--\n") && !/^[ \t\r\n]+$/.test(text))
  fc.assert(
    fc.property(entropy, passphrase, (bytes, extra) => {
      const words = dangerouslyRevealText(mnemonicFromEntropy(Secret.copyOf(bytes)))
      const text = extra === "" ? words : `${words}\n${extra}`
      const { source, seed } = read(text)
      const packed = packWalletSecret(source, seed)
      const isSame = dangerouslyRevealText(writeWalletText(sourceOf(packed))) === text
      return isSame && dangerouslyRevealHex(seedOf(packed)) === dangerouslyRevealHex(seed)
    }),
    { numRuns: 60 },
  )
})

t.test("readWalletText reads or refuses any bytes", async () => {
  const word = fc.constantFrom("test", "junk", "TEST", "", " ", "\n", "--PASS--\n", "\t", "\u3042", "zoo")
  const almost = fc.array(word, { maxLength: 40 }).map((words) => Buffer.from(words.join(" ")))
  const any = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
  const behindWords = any.map((bytes) => Buffer.concat([Buffer.from(`${WORDS}\n`), bytes]))
  // refusalOf throws what is no refusal.
  fc.assert(fc.property(fc.oneof(almost, any, behindWords), (bytes) => void refusalOf(() => read(bytes))))
})

t.test("a wallet without passphrase is packed as in earlier releases", async (t) => {
  const [entropy, seed] = [secretText("e".repeat(16)), secretText("s".repeat(64))]
  t.equal(
    dangerouslyRevealText(packWalletSecret({ entropy }, seed)),
    `\u0010${"e".repeat(16)}${"s".repeat(64)}`,
  )
})
