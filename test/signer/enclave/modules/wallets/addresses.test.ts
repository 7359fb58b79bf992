// Accounts and private keys of every address format, through the boundary.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  PrivateKeyRecordSchema,
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { Importer } from "../../../../harness/bundles.ts"
import {
  accountOf,
  allPairs,
  isSignatureOf,
  type Pair,
  respelled,
  signParamsOf,
} from "../../../../harness/formats.ts"
import { asRoot, ledgerDigest, type Fixture, setup } from "../../../../hostile/setup.ts"

/** Formats that write the text of another: signet's five, and regtest's two in Base58. */
const TWINS = 7

const curves = ["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"] as const

async function addAccounts(fixture: Fixture, accounts: object[]): Promise<string[]> {
  const parameters = { walletId: fixture.walletId, accounts }
  const outcome = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", parameters)
  return valueOf(outcome, "createWalletAccountsResult").addresses
}

/** The code with which one more account is refused; undefined: it is not. */
async function refusedAccount(fixture: Fixture, account: object): Promise<string | undefined> {
  const parameters = { walletId: fixture.walletId, accounts: [account] }
  const answer = await asRoot(fixture).attempt("CREATE_WALLET_ACCOUNTS", parameters)
  return answer.is === "refused" ? answer.code : undefined
}

async function sign(fixture: Fixture, pair: Pair, signWith: string) {
  const outcome = await asRoot(fixture).submit("SIGN_RAW_PAYLOAD_V2", signParamsOf(pair, signWith))
  return valueOf(outcome, "signRawPayloadResult")
}

function storedAccount({ client }: Fixture, address: string) {
  const accounts = [...client.records.values()]
    .map((bytes) => fromBinary(RecordSchema, bytes))
    .filter(({ kind }) => kind === RecordKind.WALLET_ACCOUNT)
    .map(({ payload }) => fromBinary(WalletAccountRecordSchema, payload))
  return accounts.find((account) => account.address === address)
}

t.test("accounts of every format are created in one request and sign by their addresses", async (t) => {
  const fixture = await setup(t)
  const addresses = await addAccounts(
    fixture,
    allPairs.map((pair, index) => accountOf(pair, `/44'/1'/0'/0/${index}`)),
  )
  t.equal(new Set(addresses).size, 41)
  for (const [index, pair] of allPairs.entries()) {
    const address = addresses[index] ?? ""
    const { publicKey = "", path } = storedAccount(fixture, address) ?? {}
    t.equal(path, `m/44'/1'/0'/0/${index}`, "the path as it was given")
    for (const signWith of [address, respelled(pair.addressFormat, address)]) {
      if (signWith === undefined) continue
      const signature = await sign(fixture, pair, signWith)
      t.ok(isSignatureOf(pair, publicKey, signature), `${pair.addressFormat} ${signWith}`)
    }
  }
})

t.test("a wallet has one account for each path and address format", async (t) => {
  const fixture = await setup(t)
  const accounts = allPairs.map((pair, index) => accountOf(pair, `/44'/1'/${index}'`))
  await addAccounts(fixture, accounts)
  const before = ledgerDigest(fixture)
  for (const account of accounts) {
    const { curve, addressFormat, path } = account
    t.equal(await refusedAccount(fixture, account), "ACCOUNT_TAKEN", `${curve} ${addressFormat}`)
    if (curve !== "CURVE_ED25519") continue
    const twin = { ...account, path: path.replaceAll("'", "") }
    t.equal(
      await refusedAccount(fixture, twin),
      "ACCOUNT_TAKEN",
      `${addressFormat} at another name of its path`,
    )
  }
  t.equal(ledgerDigest(fixture), before)
  for (const [index, pair] of allPairs.entries()) {
    const account = accountOf(pair, `/44'/1'/${index}'/1`)
    t.equal(await refusedAccount(fixture, account), undefined, `${pair.addressFormat} at another path`)
  }
})

t.test(
  "one path has accounts of every format of its curve, also of formats with equal addresses",
  async (t) => {
    const fixture = await setup(t)
    for (const curve of curves) {
      const pairs = allPairs.filter((pair) => pair.curve === curve)
      const addresses = await addAccounts(
        fixture,
        pairs.map((pair) => accountOf(pair, "/44'/2'/0'")),
      )
      for (const [index, pair] of pairs.entries()) {
        const { publicKey = "" } = storedAccount(fixture, addresses[index] ?? "") ?? {}
        const signature = await sign(fixture, pair, addresses[index] ?? "")
        t.ok(isSignatureOf(pair, publicKey, signature), `${curve} ${pair.addressFormat}`)
      }
      const texts = curve === "CURVE_SECP256K1" ? pairs.length - TWINS : pairs.length
      t.equal(new Set(addresses).size, texts)
    }
  },
)

const p2wpkh = (network: string) =>
  accountOf(
    { curve: "CURVE_SECP256K1", addressFormat: `ADDRESS_FORMAT_BITCOIN_${network}_P2WPKH` },
    "/84'/1'/0'/0/0",
  )

t.test("accounts with one address sign until the last of them is deleted", async (t) => {
  const fixture = await setup(t)
  const { submit, attempt } = asRoot(fixture)
  const [address = "", same] = await addAccounts(fixture, [p2wpkh("TESTNET"), p2wpkh("SIGNET")])
  t.equal(same, address)
  t.equal(await refusedAccount(fixture, p2wpkh("SIGNET")), "ACCOUNT_TAKEN", "a format twice")
  const ids = accountIdsOf(fixture, address)
  t.equal(ids.length, 2)
  const pair = { curve: "CURVE_SECP256K1", addressFormat: p2wpkh("TESTNET").addressFormat } as const
  await sign(fixture, pair, address)
  await submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds: ids.slice(0, 1), deleteWithoutExport: true })
  await fixture.boundary.restart()
  await sign(fixture, pair, address)
  await addAccounts(fixture, [p2wpkh("TESTNET")])
  const all = accountIdsOf(fixture, address)
  t.equal(all.length, 2)
  await submit("DELETE_WALLET_ACCOUNTS", { walletAccountIds: all, deleteWithoutExport: true })
  t.match(await attempt("SIGN_RAW_PAYLOAD_V2", signParamsOf(pair, address)), { code: "SIGN_WITH_UNKNOWN" })
  t.equal(await refusedAccount(fixture, p2wpkh("SIGNET")), undefined, "the address is free")
})

t.test("deleting a wallet deletes all accounts of one address, which no other wallet shares", async (t) => {
  const fixture = await setup(t)
  const { submit, attempt } = asRoot(fixture)
  const importer = new Importer(fixture)
  const accounts = [p2wpkh("TESTNET"), p2wpkh("SIGNET")]
  const words = "test test test test test test test test test test test junk"
  const first = valueOf(
    await submit("IMPORT_WALLET", await importer.wallet("first", words, accounts)),
    "importWalletResult",
  )
  const twin = { ...(await importer.wallet("twin", words, [p2wpkh("REGTEST")])), accounts }
  t.match(await attempt("IMPORT_WALLET", twin), { code: "ACCOUNT_TAKEN" })
  const other = { ...twin, accounts: [{ ...p2wpkh("SIGNET") }] }
  t.match(await attempt("IMPORT_WALLET", other), { code: "ACCOUNT_TAKEN" }, "in no format")
  await submit("DELETE_WALLETS", { walletIds: [first.walletId], deleteWithoutExport: true })
  await submit("IMPORT_WALLET", twin)
})

function accountIdsOf({ client }: Fixture, address: string): string[] {
  return [...client.records.values()]
    .map((bytes) => fromBinary(RecordSchema, bytes))
    .filter(({ kind, deleted }) => kind === RecordKind.WALLET_ACCOUNT && !deleted)
    .filter(({ payload }) => fromBinary(WalletAccountRecordSchema, payload).address === address)
    .map(({ id }) => id)
}

t.test("private keys have addresses of every format of their curve and sign by each", async (t) => {
  const fixture = await setup(t)
  for (const curve of curves) {
    const pairs = allPairs.filter((pair) => pair.curve === curve)
    const addressFormats = pairs.map(({ addressFormat }) => addressFormat)
    const params = { privateKeyName: curve, curve, privateKeyTags: [], addressFormats }
    const outcome = await asRoot(fixture).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys: [params] })
    const [made] = valueOf(outcome, "createPrivateKeysResultV2").privateKeys
    const { payload } = fromBinary(RecordSchema, fixture.client.records.get(made?.privateKeyId ?? "")!)
    const { publicKey } = fromBinary(PrivateKeyRecordSchema, payload)
    for (const [index, pair] of pairs.entries()) {
      const signature = await sign(fixture, pair, made?.addresses[index]?.address ?? "")
      t.ok(isSignatureOf(pair, publicKey, signature), `${curve} ${pair.addressFormat}`)
    }
  }
})

t.test("a private key whose formats have equal addresses is deleted completely", async (t) => {
  const fixture = await setup(t)
  const { submit, attempt } = asRoot(fixture)
  const addressFormats = ["TESTNET", "SIGNET"].map((network) => p2wpkh(network).addressFormat)
  const params = { privateKeyName: "k", curve: "CURVE_SECP256K1", privateKeyTags: [], addressFormats }
  const outcome = await submit("CREATE_PRIVATE_KEYS_V2", { privateKeys: [params] })
  const [made] = valueOf(outcome, "createPrivateKeysResultV2").privateKeys
  const [address, same] = made?.addresses.map((each) => each.address) ?? []
  t.equal(same, address)
  await submit("DELETE_PRIVATE_KEYS", { privateKeyIds: [made?.privateKeyId], deleteWithoutExport: true })
  const pair = { curve: "CURVE_SECP256K1", addressFormat: addressFormats[0]! } as const
  t.match(await attempt("SIGN_RAW_PAYLOAD_V2", signParamsOf(pair, address ?? "")), {
    code: "SIGN_WITH_UNKNOWN",
  })
})
