import t from "tap"
import { ethereumAccount, valueOf } from "../harness/api-client.ts"
import { Importer, Reader, sealText, signerPublicKeyOf } from "../harness/bundles.ts"
import { allRefused, asRoot, refused, setup } from "./setup.ts"

const WORDS = `${"abandon ".repeat(11)}about`
const COMPOSED = "caf\u00e9"
const DECOMPOSED = "cafe\u0301"

t.test("B4: a mnemonic is accepted in one spelling only", async (t) => {
  const fixture = await setup(t)
  const importer = new Importer(fixture)
  const importBundle = await importer.walletTarget()
  const importing = async (text: string) => {
    const encryptedBundle = await sealText(text, importBundle, importer.whose)
    const parameters = { userId: importer.whose.userId, walletName: "Mine", encryptedBundle, accounts: [] }
    return asRoot(fixture).attempt("IMPORT_WALLET", parameters)
  }
  const fullWidth = (text: string) =>
    text.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0))
  const lookalikes = [
    fullWidth(WORDS),
    WORDS.replace("about", "\u0430bout"),
    WORDS.replace("about", "abo\u200but"),
    WORDS.replace("about", "a\u0301bout"),
    WORDS.replace("about", "abou"),
    WORDS.replace("about", "about\u0000"),
    `\ufeff${WORDS}`,
    `${"abaisser ".repeat(11)}abeille`,
    `${"\u7684 ".repeat(11)}\u5728`,
  ]
  await allRefused(t, fixture, "MNEMONIC_WORD_UNKNOWN", lookalikes, importing)
  const blanks = ["\u00a0", "\u3000", "\u2003", "\u000b", "\u000c", "\u0085", "\n", "\u2028", ","]
  const apart = blanks.map((blank) => WORDS.replaceAll(" ", blank))
  await allRefused(t, fixture, "MNEMONIC_LENGTH_INVALID", apart, importing)
  // 24 words in two lines, of which the first has a right checksum of its own.
  const broken = [`${WORDS}\n\n`, `${WORDS}\n${"zoo ".repeat(11)}before`]
  await allRefused(t, fixture, "PASSPHRASE_INVALID", broken, importing)
})

t.test(
  "B4: two Unicode spellings of a passphrase give one wallet, and the export returns the imported spelling",
  async (t) => {
    const fixture = await setup(t)
    const { submit, attempt } = asRoot(fixture)
    const importer = new Importer(fixture)
    const account = [ethereumAccount(0)]
    const first = await importer.wallet("First spelling", `${WORDS}\n${DECOMPOSED}`, account)
    const { walletId } = valueOf(await submit("IMPORT_WALLET", first), "importWalletResult")
    const importBundle = await importer.walletTarget()
    for (const text of [`${WORDS}\n${COMPOSED}`, `${WORDS.toUpperCase()}\r\n--PASS--\n${COMPOSED}`]) {
      const encryptedBundle = await sealText(text, importBundle, importer.whose)
      const twin = { ...first, walletName: "Twin", encryptedBundle }
      await refused(t, fixture, "ACCOUNT_TAKEN", () => attempt("IMPORT_WALLET", twin), JSON.stringify(text))
    }
    const reader = new Reader()
    const request = { walletId, targetPublicKey: reader.targetPublicKey }
    const { exportBundle } = valueOf(await submit("EXPORT_WALLET", request), "exportWalletResult")
    const whose = { ...importer.whose, signerPublicKey: signerPublicKeyOf(fixture.boundary) }
    // The published client decodes bytes as Latin-1.
    const text = Buffer.from(await reader.text(exportBundle, whose), "latin1").toString()
    t.equal(text, `${WORDS}\n${DECOMPOSED}`)
  },
)
