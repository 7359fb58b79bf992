import { fromBinary } from "@bufbuild/protobuf"
import { HDKey } from "@scure/bip32"
import { entropyToMnemonic, mnemonicToSeedSync } from "@scure/bip39"
import { wordlist } from "@scure/bip39/wordlists/english.js"
import { ed25519 } from "@noble/curves/ed25519.js"
import { base58 } from "@scure/base"
import t from "tap"
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts"
import {
  PrivateKeyRecordSchema,
  RecordSchema,
  WalletRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { ethereumAccount, outcomeOf, signParams, valueOf } from "../../../../harness/api-client.ts"
import { Importer, sealHex, sealText } from "../../../../harness/bundles.ts"
import { quorumOfThree } from "../../../../hostile/quorum.ts"
import { asRoot, exportOnce, refused, setup } from "../../../../hostile/setup.ts"

const WORDS = "test test test test test test test test test test test junk"
const RAW = "d123b4bdec43390b7cac14c615bd787671aa5535536f82e9e8e32557e05d8243"
const ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
const FIELD = "parameters.encryptedBundle"
const MINUTE_MS = 60_000

const solanaAccount = {
  curve: "CURVE_ED25519",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/501'/0'/0'",
  addressFormat: "ADDRESS_FORMAT_SOLANA",
}

t.test("import_wallet takes words of every length, and the wallet signs", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  const importer = new Importer(fixture)
  for (const bytes of [16, 20, 24, 28, 32]) {
    const words = entropyToMnemonic(new Uint8Array(bytes).fill(bytes), wordlist)
    const accounts = [ethereumAccount(0), ethereumAccount(1), solanaAccount]
    const done = await submit("IMPORT_WALLET", await importer.wallet(`of ${bytes}`, words, accounts))
    const { walletId, addresses } = valueOf(done, "importWalletResult")
    const expected = [0, 1].map((addressIndex) => mnemonicToAccount(words, { addressIndex }).address)
    t.same(addresses.slice(0, 2), expected, `${bytes} bytes of entropy`)
    const { payload } = fromBinary(RecordSchema, fixture.client.records.get(walletId)!)
    const mnemonicLength = (bytes / 4) * 3
    t.match(fromBinary(WalletRecordSchema, payload), { imported: true, exported: false, mnemonicLength })
    t.ok(valueOf(await submit("SIGN_RAW_PAYLOAD_V2", signParams(addresses[0]!)), "signRawPayloadResult").r)
  }
})

t.test("import_wallet takes a passphrase in both forms, and derives later accounts with it", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  const importer = new Importer(fixture)
  const passphrases = ["correct horse", "  r\u00e9sum\u00e9 \u{1F511}\n2nd line"]
  for (const [index, passphrase] of passphrases.entries()) {
    const root = HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS, passphrase))
    const addressAt = (path: string) => {
      const { privateKey } = root.derive(path)
      return privateKeyToAccount(`0x${Buffer.from(privateKey!).toString("hex")}`).address
    }
    const text = `${WORDS}${index === 0 ? "\n--PASS--\n" : "\n"}${passphrase}`
    const done = await submit("IMPORT_WALLET", await importer.wallet(`w${index}`, text, [ethereumAccount(0)]))
    const { walletId, addresses } = valueOf(done, "importWalletResult")
    t.same(addresses, [addressAt("m/44'/60'/0'/0/0")], text)
    await fixture.boundary.restart()
    const more = await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts: [ethereumAccount(7)] })
    t.same(valueOf(more, "createWalletAccountsResult").addresses, [addressAt("m/44'/60'/0'/0/7")])
  }
})

t.test("import_private_key takes keys of every curve, with addresses in the requested order", async (t) => {
  const fixture = await setup(t)
  const { submit } = asRoot(fixture)
  const importer = new Importer(fixture)
  const edPublic = Buffer.from(ed25519.getPublicKey(Buffer.from(RAW, "hex")))
  for (const [curve, formats, first] of [
    ["SECP256K1", ["ETHEREUM", "UNCOMPRESSED", "COMPRESSED"], privateKeyToAccount(`0x${RAW}`).address],
    ["ED25519", ["SOLANA", "COMPRESSED"], base58.encode(Uint8Array.from(edPublic))],
    ["P256", ["COMPRESSED"], undefined],
    ["P256", [], undefined],
  ] as const) {
    const raw = formats.length === 0 ? `${RAW.slice(0, -1)}4` : RAW
    const name = `${curve} ${formats.length}`
    const done = await submit("IMPORT_PRIVATE_KEY", await importer.key(name, raw, curve, [...formats]))
    const { privateKeyId, addresses } = valueOf(done, "importPrivateKeyResult")
    t.equal(addresses.length, formats.length)
    if (first !== undefined) t.equal(addresses[0]?.address, first, curve)
    const { payload } = fromBinary(RecordSchema, fixture.client.records.get(privateKeyId)!)
    const key = fromBinary(PrivateKeyRecordSchema, payload)
    t.match(key, { name, imported: true, exported: false })
    t.same(
      key.addresses.map(({ format, address }) => [format, address]),
      addresses.map(({ format, address }) => [format, address]),
    )
    const hashFunction = curve === "ED25519" ? "HASH_FUNCTION_NOT_APPLICABLE" : "HASH_FUNCTION_NO_OP"
    for (const signWith of [privateKeyId, ...addresses.map(({ address }) => address)])
      await submit("SIGN_RAW_PAYLOAD_V2", { ...signParams(signWith), hashFunction })
  }
})

t.test("a faulty wallet import is refused by code, and its import key can be used again", async (t) => {
  const fixture = await setup(t)
  const { attempt, submit } = asRoot(fixture)
  const importer = new Importer(fixture)
  const importBundle = await importer.walletTarget()
  const ours = async (text: string, more: object = {}) => ({
    userId: importer.whose.userId,
    walletName: "Mine",
    encryptedBundle: await sealText(text, importBundle, importer.whose),
    accounts: [],
    ...more,
  })
  const broken = { encryptedBundle: await sealHex("fffe", importBundle, importer.whose) }
  const passphrase = Buffer.concat([Buffer.from(`${WORDS}\n`), Buffer.from("fffe", "hex")]).toString("hex")
  const badPassphrase = { encryptedBundle: await sealHex(passphrase, importBundle, importer.whose) }
  const format = { ...ethereumAccount(0), addressFormat: "ADDRESS_FORMAT_SOLANA" }
  for (const [code, field, parameters] of [
    ["MNEMONIC_LENGTH_INVALID", FIELD, await ours(WORDS.slice(5))],
    ["MNEMONIC_WORD_UNKNOWN", FIELD, await ours(WORDS.replace("junk", "jank"))],
    ["MNEMONIC_CHECKSUM_WRONG", FIELD, await ours(WORDS.replace("junk", "test"))],
    ["MNEMONIC_LENGTH_INVALID", FIELD, await ours(WORDS, broken)],
    ["PASSPHRASE_INVALID", FIELD, await ours(WORDS, badPassphrase)],
    ["PASSPHRASE_INVALID", FIELD, await ours(`${WORDS}\n--PASS--\n--PASS--\n`)],
    ["BUNDLE_MALFORMED", FIELD, await ours(WORDS, { encryptedBundle: "{}" })],
    ["REQUEST_INVALID", FIELD, await ours(WORDS, { encryptedBundle: "" })],
    ["REQUEST_INVALID", FIELD, await ours(WORDS, { encryptedBundle: "x".repeat(8193) })],
    ["NAME_TAKEN", "parameters.walletName", await ours(WORDS, { walletName: "First" })],
    [
      "ADDRESS_FORMAT_INVALID",
      "parameters.accounts[0].addressFormat",
      await ours(WORDS, { accounts: [format] }),
    ],
    [
      "PATH_INVALID",
      "parameters.accounts[0].path",
      await ours(WORDS, { accounts: [{ ...format, path: "m/x" }] }),
    ],
    [
      "ACCOUNT_TAKEN",
      "parameters.accounts[1].path",
      await ours(WORDS, { accounts: [ethereumAccount(0), ethereumAccount(0)] }),
    ],
  ] as const) {
    await refused(t, fixture, code, () => attempt("IMPORT_WALLET", parameters), `${code} ${field}`)
    t.match(await attempt("IMPORT_WALLET", parameters), { field })
  }
  t.ok(valueOf(await submit("IMPORT_WALLET", await ours(WORDS)), "importWalletResult").walletId)
})

t.test("a faulty private key import is refused by code", async (t) => {
  const fixture = await setup(t)
  const { attempt, submit } = asRoot(fixture)
  const importer = new Importer(fixture)
  const importBundle = await importer.keyTarget()
  const ours = async (hex: string, curve = "SECP256K1", formats: string[] = [], privateKeyName = "Mine") => ({
    userId: importer.whose.userId,
    privateKeyName,
    encryptedBundle: await sealHex(hex, importBundle, importer.whose),
    curve: `CURVE_${curve}`,
    addressFormats: formats.map((format) => `ADDRESS_FORMAT_${format}`),
  })
  for (const [code, field, parameters] of [
    ["PRIVATE_KEY_INVALID", FIELD, await ours("00".repeat(32))],
    ["PRIVATE_KEY_INVALID", FIELD, await ours(ORDER)],
    ["PRIVATE_KEY_INVALID", FIELD, await ours(RAW.slice(2))],
    ["PRIVATE_KEY_INVALID", FIELD, await ours(`00${RAW}`)],
    ["PRIVATE_KEY_INVALID", FIELD, await ours("ff".repeat(32), "P256")],
    ["PRIVATE_KEY_INVALID", FIELD, await ours(RAW + RAW, "ED25519")],
    [
      "ADDRESS_FORMAT_INVALID",
      "parameters.addressFormats[1]",
      await ours(RAW, "P256", ["COMPRESSED", "ETHEREUM"]),
    ],
    [
      "ADDRESS_FORMAT_INVALID",
      "parameters.addressFormats[1]",
      await ours(RAW, "P256", ["COMPRESSED", "COMPRESSED"]),
    ],
    ["REQUEST_INVALID", "parameters.curve", await ours(RAW, "P384")],
    ["REQUEST_INVALID", "parameters.privateKeyName", await ours(RAW, "P256", [], "")],
  ] as const) {
    await refused(t, fixture, code, () => attempt("IMPORT_PRIVATE_KEY", parameters), `${code} ${field}`)
    t.match(await attempt("IMPORT_PRIVATE_KEY", parameters), { field })
  }
  await submit("IMPORT_PRIVATE_KEY", await ours(RAW, "SECP256K1", ["COMPRESSED", "ETHEREUM"]))
  const twin = await importer.key("Twin", RAW, "SECP256K1", ["ETHEREUM"])
  await refused(t, fixture, "ACCOUNT_TAKEN", () => attempt("IMPORT_PRIVATE_KEY", twin))
  const namesake = { ...twin, privateKeyName: "Mine", addressFormats: [] }
  await refused(t, fixture, "NAME_TAKEN", () => attempt("IMPORT_PRIVATE_KEY", namesake))
})

t.test("a wallet and a private key never share an address", async (t) => {
  const fixture = await setup(t)
  const { attempt, submit } = asRoot(fixture)
  const importer = new Importer(fixture)
  const { privateKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(WORDS)).derive("m/44'/60'/0'/0/0")
  const raw = Buffer.from(privateKey!).toString("hex")
  await submit("IMPORT_PRIVATE_KEY", await importer.key("key", raw, "SECP256K1", ["ETHEREUM"]))
  const wallet = await importer.wallet("wallet", WORDS, [ethereumAccount(0)])
  await refused(t, fixture, "ACCOUNT_TAKEN", () => attempt("IMPORT_WALLET", wallet))
  t.match(await attempt("IMPORT_WALLET", { ...wallet, accounts: [ethereumAccount(1)] }), { is: "outcome" })
})

t.test("an import key works for one import, for one hour, for its kind", async (t) => {
  const fixture = await setup(t)
  const { boundary } = fixture
  const { attempt, submit } = asRoot(fixture)
  const importer = new Importer(fixture)
  const make = () => importer.wallet("Mine", WORDS)
  const importing = (parameters: object) => () => attempt("IMPORT_WALLET", parameters)

  const bundle = { userId: importer.whose.userId, walletName: "Mine", encryptedBundle: "{}", accounts: [] }
  await refused(t, fixture, "IMPORT_TARGET_UNKNOWN", importing(bundle), "none was asked for")
  const key = await importer.key("Mine", RAW)
  const asWallet = { ...bundle, encryptedBundle: key.encryptedBundle }
  await refused(t, fixture, "IMPORT_TARGET_UNKNOWN", importing(asWallet), "one of another kind")

  const replaced = await make()
  const latest = await make()
  await refused(t, fixture, "BUNDLE_BROKEN", importing(replaced), "an older one")
  await refused(t, fixture, "BUNDLE_BROKEN", importing(asWallet), "one of another kind, beside its own")

  await boundary.restart()
  await submit("IMPORT_WALLET", latest)
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    const again = { ...latest, walletName: "Again" }
    await refused(t, fixture, "IMPORT_TARGET_SPENT", importing(again), `used, ${restarts} restarts`)
  }

  const late = { ...(await make()), walletName: "Late" }
  boundary.clock.pass(59 * MINUTE_MS)
  t.match(await attempt("IMPORT_WALLET", { ...late, encryptedBundle: "{}" }), { code: "BUNDLE_MALFORMED" })
  boundary.clock.pass(MINUTE_MS)
  await refused(t, fixture, "IMPORT_TARGET_EXPIRED", importing(late))
  await boundary.signer.purge()
  await refused(t, fixture, "IMPORT_TARGET_EXPIRED", importing(late), "when what has gone by was purged")
  boundary.clock.pass(60 * MINUTE_MS)
  await boundary.signer.purge()
  await refused(t, fixture, "IMPORT_TARGET_UNKNOWN", importing(late), "forgotten an hour later")
  t.match(await attempt("IMPORT_WALLET", await make()), { code: "NAME_TAKEN" })
})

t.test("a pending import runs with its submitter's import key, if that has not expired", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, boundary, alice, bob } = fixture
  const importer = new Importer(fixture)
  const agreed = async (type: string, parameters: object) => {
    const { fingerprint } = await fixture.propose(type, parameters)
    await fixture.approve(alice, fingerprint)
    return fixture.approve(bob, fingerprint)
  }
  const { userId } = importer.whose
  const offered = await agreed("INIT_IMPORT_WALLET", { userId })
  const { importBundle } = valueOf(offered, "initImportWalletResult")
  const encryptedBundle = await sealText(WORDS, importBundle, importer.whose)
  const parameters = { userId, walletName: "Ours", encryptedBundle, accounts: [ethereumAccount(0)] }
  const done = await agreed("IMPORT_WALLET", parameters)
  t.same(valueOf(done, "importWalletResult").addresses, [mnemonicToAccount(WORDS).address])

  const spent = await agreed("IMPORT_WALLET", { ...parameters, walletName: "Again" })
  t.match(spent.failure, { code: 216 }, "IMPORT_TARGET_SPENT ends what waited")

  const second = valueOf(await agreed("INIT_IMPORT_WALLET", { userId }), "initImportWalletResult")
  const late = { ...parameters, encryptedBundle: await sealText(WORDS, second.importBundle, importer.whose) }
  const { fingerprint } = await fixture.propose("IMPORT_WALLET", { ...late, walletName: "Late" })
  await fixture.approve(alice, fingerprint)
  boundary.clock.pass(60 * MINUTE_MS)
  t.match((await fixture.approve(bob, fingerprint)).failure, { code: 217 }, "IMPORT_TARGET_EXPIRED likewise")

  const body = client.body("ACTIVITY_TYPE_INIT_IMPORT_WALLET", importer.whose.organizationId, { userId })
  t.match(
    await client.send(body, alice.key),
    { is: "refused", code: "PERMISSION_DENIED" },
    "for another user",
  )
})

t.test(
  "an imported wallet is deleted without deleteWithoutExport once it was exported, and can be imported again",
  async (t) => {
    const fixture = await setup(t)
    const { submit, attempt } = asRoot(fixture)
    const importer = new Importer(fixture)
    const imported = async () => {
      const parameters = await importer.wallet("Mine", WORDS, [ethereumAccount(0)])
      return valueOf(outcomeOf(await attempt("IMPORT_WALLET", parameters)), "importWalletResult")
    }
    const first = await imported()
    await exportOnce(fixture, first.walletId)
    await submit("DELETE_WALLETS", { walletIds: [first.walletId] })
    const second = await imported()
    t.same(second.addresses, first.addresses)
    t.not(second.walletId, first.walletId)
  },
)
