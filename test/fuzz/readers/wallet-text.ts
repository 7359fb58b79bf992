// Imported wallets as text: what is read is exported and read again.
import { validateMnemonic } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { readPrivateKey } from "../../../signer/enclave/keys/private-key.ts"
import { readWalletText, writeWalletText } from "../../../signer/enclave/keys/wallet-text.ts"
import { type Reader, requireSame, requireTrue } from "../engine/reader.ts"
import { isAnyRefusal } from "./refusals.ts"
import { hexOfSecret } from "./test-keys.ts"

const WORDS = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

type Read = { seed: string; written: string; isKey: boolean }

export const walletText: Reader<Read> = {
  maxLength: 400,
  seeds: () => [
    WORDS,
    `${WORDS.toUpperCase()}\npassphrase é`,
    `  ${WORDS.replaceAll(" ", "  ")}\n--PASS--\nx`,
    "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong",
  ],
  read(input) {
    const { source, seed } = readWalletText(Secret.copyOf(input), "f")
    const written = writeWalletText(source).use((bytes) => Buffer.from(bytes).toString())
    const key = readPrivateKey(
      "CURVE_SECP256K1",
      seed.use((bytes) => Secret.copyOf(bytes.subarray(0, 32))),
      "f",
    )
    return { seed: hexOfSecret(seed), written, isKey: key.secret.length === 32 }
  },
  isRefusal: isAnyRefusal,
  judge(_, outcome) {
    if ("refusal" in outcome) return
    const { seed, written } = outcome.value
    requireTrue(validateMnemonic(written.split("\n")[0] ?? "", wordlist), "@scure/bip39 refuses the mnemonic")
    requireSame(
      hexOfSecret(readWalletText(Secret.copyOf(Buffer.from(written)), "f").seed),
      seed,
      "the exported wallet",
    )
  },
}
