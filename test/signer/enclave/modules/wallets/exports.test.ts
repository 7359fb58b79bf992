import { fromBinary } from "@bufbuild/protobuf"
import { entropyToMnemonic } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import fc from "fast-check"
import t from "tap"
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts"
import {
  PrivateKeyRecordSchema,
  RecordSchema,
  WalletRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { MnemonicLanguageSchema } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ethereumAccount, signParams, valueOf } from "../../../../harness/api-client.ts"
import { Importer, Reader, signerPublicKeyOf } from "../../../../harness/bundles.ts"
import { asRoot, refused, type Fixture, setup } from "../../../../hostile/setup.ts"
import { ownVectors } from "../../../../harness/vectors.ts"

const NIL = "00000000-0000-4000-8000-000000000000"
const WORDS = "legal winner thank year wave sausage worth useful legal winner thank yellow"

const whoseOf = ({ acme, boundary }: Fixture) => ({
  organizationId: acme.organizationId,
  signerPublicKey: signerPublicKeyOf(boundary),
})

async function exportWallet(fixture: Fixture, walletId: string, reader = new Reader()) {
  const { targetPublicKey } = reader
  const outcome = await asRoot(fixture).submit("EXPORT_WALLET", { walletId, targetPublicKey })
  const { exportBundle } = valueOf(outcome, "exportWalletResult")
  return { outcome, words: await reader.text(exportBundle, whoseOf(fixture)) }
}

function walletOf({ client }: Fixture, walletId: string) {
  const record = fromBinary(RecordSchema, client.records.get(walletId)!)
  return { record, wallet: fromBinary(WalletRecordSchema, record.payload) }
}

t.test("export_wallet returns the words of a generated wallet, and marks it exported", async (t) => {
  const fixture = await setup(t)
  const { walletId, address, boundary } = fixture
  t.equal(walletOf(fixture, walletId).wallet.exported, false)
  const { outcome, words } = await exportWallet(fixture, walletId.toUpperCase())
  t.equal(valueOf(outcome, "exportWalletResult").walletId, walletId)
  t.equal(mnemonicToAccount(words).address, address)
  t.match(walletOf(fixture, walletId), {
    wallet: { exported: true, imported: false },
    record: { version: 2n },
  })
  await boundary.restart()
  const again = await exportWallet(fixture, walletId)
  t.equal(again.words, words)
  t.same(again.outcome.records, [], "nothing is left to note")
  t.equal(walletOf(fixture, walletId).wallet.exported, true)
})

t.test(
  "exports return the imported secrets: words with and without passphrase, keys of every curve",
  async (t) => {
    const fixture = await setup(t)
    const { submit } = asRoot(fixture)
    const importer = new Importer(fixture)
    const reader = new Reader()
    let count = 0
    const entropy = fc
      .constantFrom(16, 20, 24, 28, 32)
      .chain((n) => fc.uint8Array({ minLength: n, maxLength: n }))
    // Published clients decode opened bundles as Latin-1, so only such text can be compared. Blanks alone are refused.
    const ascii = fc
      .string({ unit: "grapheme-ascii", maxLength: 40 })
      .filter((text) => text === "" || text.trim() !== "")
    await fc.assert(
      fc.asyncProperty(entropy, ascii, async (bytes, passphrase) => {
        const words = entropyToMnemonic(bytes, wordlist)
        const text = passphrase === "" ? words : `${words}\n${passphrase}`
        const imported = await submit("IMPORT_WALLET", await importer.wallet(`w${(count += 1)}`, text))
        const { walletId } = valueOf(imported, "importWalletResult")
        t.equal((await exportWallet(fixture, walletId, reader)).words, text)
      }),
      { numRuns: 20 },
    )
    const curve = fc.constantFrom("SECP256K1", "P256", "ED25519")
    // Below 2^255 every value but 0 is a scalar of both curves.
    const raw = fc.bigInt({ min: 1n, max: 2n ** 255n })
    await fc.assert(
      fc.asyncProperty(curve, raw, async (curve, value) => {
        const hex = value.toString(16).padStart(64, "0")
        const imported = await submit(
          "IMPORT_PRIVATE_KEY",
          await importer.key(`k${(count += 1)}`, hex, curve),
        )
        const { privateKeyId } = valueOf(imported, "importPrivateKeyResult")
        const { targetPublicKey } = reader
        const exported = await submit("EXPORT_PRIVATE_KEY", { privateKeyId, targetPublicKey })
        const { exportBundle } = valueOf(exported, "exportPrivateKeyResult")
        t.equal(await reader.hex(exportBundle, whoseOf(fixture)), hex, curve)
      }),
      { numRuns: 20 },
    )
  },
)

type Derivations = {
  mnemonics: { [id: string]: { words: string } }
  keys: { mnemonic: string; curve: string; path: string; privateKey: string }[]
}

t.test(
  "export_wallet_account returns the derived key of each curve, and does not mark the wallet exported",
  async (t) => {
    const fixture = await setup(t)
    const { submit, attempt } = asRoot(fixture)
    const importer = new Importer(fixture)
    const { mnemonics, keys } = ownVectors<Derivations>("derivations")
    const reader = new Reader()
    const { targetPublicKey } = reader
    for (const [name, { words }] of Object.entries(mnemonics)) {
      const own = keys.filter(({ mnemonic }) => mnemonic === name)
      const accounts = own.map(({ curve, path }) => ({
        curve,
        path,
        pathFormat: "PATH_FORMAT_BIP32",
        addressFormat: "ADDRESS_FORMAT_COMPRESSED",
      }))
      const imported = await submit("IMPORT_WALLET", await importer.wallet(name, words, accounts))
      const { walletId, addresses } = valueOf(imported, "importWalletResult")
      for (const [index, { curve, path, privateKey }] of own.entries()) {
        const address = addresses[index]!
        const parameters = { address: address.toUpperCase(), targetPublicKey }
        const exported = await submit("EXPORT_WALLET_ACCOUNT", parameters)
        const result = valueOf(exported, "exportWalletAccountResult")
        t.equal(result.address, address, "as it is written, not as it was asked for")
        t.equal(await reader.hex(result.exportBundle, whoseOf(fixture)), privateKey, `${curve} ${path}`)
        t.same(exported.records, [], "the ledger notes it, and no record")
      }
      t.equal(walletOf(fixture, walletId).wallet.exported, false, "its words stayed inside")
      const deletion = () => attempt("DELETE_WALLETS", { walletIds: [walletId] })
      await refused(t, fixture, "WALLET_NOT_EXPORTED", deletion)
    }
    t.equal(new Set(keys.map(({ curve }) => curve)).size, 3)
  },
)

t.test("the key of a Taproot account is exported untweaked, as it signs for the other formats", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  const reader = new Reader()
  const path = "m/86'/0'/0'/0/0"
  const formats = ["BITCOIN_MAINNET_P2TR", "COMPRESSED"].map((format) => `ADDRESS_FORMAT_${format}`)
  const accounts = formats.map((addressFormat) => ({ ...ethereumAccount(0), path, addressFormat }))
  const imported = await submit(
    "IMPORT_WALLET",
    await new Importer(fixture).wallet("Taproot", WORDS, accounts),
  )
  const keys = []
  for (const address of valueOf(imported, "importWalletResult").addresses) {
    const parameters = { address, targetPublicKey: reader.targetPublicKey }
    const exported = await submit("EXPORT_WALLET_ACCOUNT", parameters)
    const { exportBundle } = valueOf(exported, "exportWalletAccountResult")
    keys.push(await reader.hex(exportBundle, whoseOf(fixture)))
  }
  t.match(keys[0], /^[0-9a-f]{64}$/)
  t.equal(keys[0], keys[1])
})

t.test("export_private_key marks the private key exported, and does not change it", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  const one = { privateKeyName: "one", curve: "CURVE_SECP256K1", privateKeyTags: [] }
  const privateKeys = [{ ...one, addressFormats: ["ADDRESS_FORMAT_ETHEREUM"] }]
  const made = await submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
  const { privateKeyId, addresses } = valueOf(made, "createPrivateKeysResultV2").privateKeys[0]!
  const reader = new Reader()
  const { targetPublicKey } = reader
  const parameters = { privateKeyId: privateKeyId.toUpperCase(), targetPublicKey }
  const results = [
    await submit("EXPORT_PRIVATE_KEY", parameters),
    await submit("EXPORT_PRIVATE_KEY", parameters),
  ]
  const bundles = results.map((outcome) => valueOf(outcome, "exportPrivateKeyResult"))
  t.same(
    results.map(({ records }) => records.length),
    [1, 0],
  )
  t.not(bundles[0]!.exportBundle, bundles[1]!.exportBundle, "sealed anew each time")
  for (const { privateKeyId: id, exportBundle } of bundles) {
    t.equal(id, privateKeyId)
    const account = privateKeyToAccount(`0x${await reader.hex(exportBundle, whoseOf(fixture))}`)
    t.equal(account.address, addresses[0]!.address)
  }
  const { payload } = fromBinary(RecordSchema, fixture.client.records.get(privateKeyId)!)
  t.match(fromBinary(PrivateKeyRecordSchema, payload), {
    exported: true,
    imported: false,
    addresses: addresses.map(({ address }) => ({ address })),
  })
  await fixture.boundary.restart()
  await submit("SIGN_RAW_PAYLOAD_V2", signParams(addresses[0]!.address))
  await submit("DELETE_PRIVATE_KEYS", { privateKeyIds: [privateKeyId] })
})

t.test("exports refuse unknown ids and unsupported keys", async (t) => {
  const fixture = await setup(t)
  const { walletId, address } = fixture
  const { attempt, submit } = asRoot(fixture)
  const { targetPublicKey } = new Reader()
  const made = await submit("CREATE_PRIVATE_KEYS_V2", {
    privateKeys: [
      {
        privateKeyName: "one",
        curve: "CURVE_SECP256K1",
        privateKeyTags: [],
        addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      },
    ],
  })
  const [key] = valueOf(made, "createPrivateKeysResultV2").privateKeys
  const notOnCurve = `${targetPublicKey.slice(0, -2)}${targetPublicKey.endsWith("00") ? "01" : "00"}`
  for (const [code, type, parameters] of [
    ["RESOURCE_UNKNOWN", "EXPORT_WALLET", { walletId: NIL, targetPublicKey }],
    ["RESOURCE_UNKNOWN", "EXPORT_WALLET", { walletId: key!.privateKeyId, targetPublicKey }],
    ["RESOURCE_UNKNOWN", "EXPORT_PRIVATE_KEY", { privateKeyId: walletId, targetPublicKey }],
    ["RESOURCE_UNKNOWN", "EXPORT_WALLET_ACCOUNT", { address: "0x00", targetPublicKey }],
    ["RESOURCE_UNKNOWN", "EXPORT_WALLET_ACCOUNT", { address: walletId, targetPublicKey }],
    ["RESOURCE_UNKNOWN", "EXPORT_WALLET_ACCOUNT", { address: key!.addresses[0]!.address, targetPublicKey }],
    ["TARGET_KEY_INVALID", "EXPORT_WALLET", { walletId, targetPublicKey: notOnCurve }],
    ["TARGET_KEY_INVALID", "EXPORT_WALLET_ACCOUNT", { address, targetPublicKey: notOnCurve }],
    [
      "TARGET_KEY_INVALID",
      "EXPORT_PRIVATE_KEY",
      { privateKeyId: key!.privateKeyId, targetPublicKey: notOnCurve },
    ],
    ["TARGET_KEY_INVALID", "EXPORT_WALLET", { walletId, targetPublicKey: `06${targetPublicKey.slice(2)}` }],
    ["REQUEST_INVALID", "EXPORT_WALLET", { walletId, targetPublicKey: `02${targetPublicKey.slice(2, 66)}` }],
    ["REQUEST_INVALID", "EXPORT_WALLET", { walletId }],
    ["REQUEST_INVALID", "EXPORT_WALLET", { walletId, targetPublicKey, language: "KLINGON" }],
  ] as const) {
    const what = `${type} ${JSON.stringify(parameters)}`
    await refused(t, fixture, code, () => attempt(type, parameters), what)
  }
})

t.test("mnemonics are exported in English; every other language is refused", async (t) => {
  const fixture = await setup(t)
  const { walletId } = fixture
  const { attempt } = asRoot(fixture)
  const { targetPublicKey } = new Reader()
  const languages = MnemonicLanguageSchema.values
    .map(({ name }) => name)
    .filter((name) => !name.endsWith("UNSPECIFIED"))
  t.equal(languages.length, 9)
  for (const language of languages) {
    const ask = () => attempt("EXPORT_WALLET", { walletId, targetPublicKey, language })
    if (language === "MNEMONIC_LANGUAGE_ENGLISH") t.match(await ask(), { is: "outcome" })
    else await refused(t, fixture, "MNEMONIC_LANGUAGE_NOT_SERVED", ask, language)
  }
})
