// Accounts and private keys of every address format, through the boundary.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  PrivateKeyRecordSchema,
  RecordKind,
  RecordSchema,
  WalletAccountRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { valueOf } from "../../harness/api-seat.ts"
import {
  accountOf,
  allPairs,
  isSignatureOf,
  type Pair,
  respelled,
  signParamsOf,
} from "../../harness/formats.ts"
import { asRoot, memoryOf, type Stage, stage } from "../../hostile/stage.ts"

const curves = ["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"] as const

async function addAccounts(scene: Stage, accounts: object[]): Promise<string[]> {
  const parameters = { walletId: scene.walletId, accounts }
  const outcome = await asRoot(scene).submit("CREATE_WALLET_ACCOUNTS", parameters)
  return valueOf(outcome, "createWalletAccountsResult").addresses
}

/** The code with which one more account is refused; undefined: it is not. */
async function refusedAccount(scene: Stage, account: object): Promise<string | undefined> {
  const parameters = { walletId: scene.walletId, accounts: [account] }
  const answer = await asRoot(scene).attempt("CREATE_WALLET_ACCOUNTS", parameters)
  return answer.is === "refused" ? answer.code : undefined
}

async function sign(scene: Stage, pair: Pair, signWith: string) {
  const outcome = await asRoot(scene).submit("SIGN_RAW_PAYLOAD_V2", signParamsOf(pair, signWith))
  return valueOf(outcome, "signRawPayloadResult")
}

function storedAccount({ seat }: Stage, address: string) {
  const accounts = [...seat.records.values()]
    .map((bytes) => fromBinary(RecordSchema, bytes))
    .filter(({ kind }) => kind === RecordKind.WALLET_ACCOUNT)
    .map(({ payload }) => fromBinary(WalletAccountRecordSchema, payload))
  return accounts.find((account) => account.address === address)
}

t.test("accounts of every format are made in one request and sign by their addresses", async (t) => {
  const scene = await stage(t)
  const addresses = await addAccounts(
    scene,
    allPairs.map((pair, index) => accountOf(pair, `/44'/1'/0'/0/${index}`)),
  )
  t.equal(new Set(addresses).size, 39)
  for (const [index, pair] of allPairs.entries()) {
    const address = addresses[index] ?? ""
    const { publicKey = "", path } = storedAccount(scene, address) ?? {}
    t.equal(path, `m/44'/1'/0'/0/${index}`, "the path as it was given")
    for (const signWith of [address, respelled(pair.addressFormat, address)]) {
      if (signWith === undefined) continue
      const signature = await sign(scene, pair, signWith)
      t.ok(isSignatureOf(pair, publicKey, signature), `${pair.addressFormat} ${signWith}`)
    }
  }
})

t.test("a path is used once in a wallet for a format, whatever its family", async (t) => {
  const scene = await stage(t)
  const accounts = allPairs.map((pair, index) => accountOf(pair, `/44'/1'/${index}'`))
  await addAccounts(scene, accounts)
  const before = memoryOf(scene)
  for (const account of accounts) {
    const { curve, addressFormat, path } = account
    t.equal(await refusedAccount(scene, account), "ACCOUNT_TAKEN", `${curve} ${addressFormat}`)
    if (curve !== "CURVE_ED25519") continue
    const twin = { ...account, path: path.replaceAll("'", "") }
    t.equal(
      await refusedAccount(scene, twin),
      "ACCOUNT_TAKEN",
      `${addressFormat} at another name of its path`,
    )
  }
  t.equal(memoryOf(scene), before)
  for (const [index, pair] of allPairs.entries()) {
    const account = accountOf(pair, `/44'/1'/${index}'/1`)
    t.equal(await refusedAccount(scene, account), undefined, `${pair.addressFormat} at another path`)
  }
})

t.test(
  "one path carries every format of its curve but those whose addresses are the same text",
  async (t) => {
    const scene = await stage(t)
    const shared = /_(?:SIGNET_|REGTEST_P2PKH|REGTEST_P2SH)/
    for (const curve of curves) {
      const all = allPairs.filter((pair) => pair.curve === curve)
      const accounts = all.map((pair) => accountOf(pair, "/44'/2'/0'"))
      const made = accounts.filter(({ addressFormat }) => !shared.test(addressFormat))
      t.equal(new Set(await addAccounts(scene, made)).size, made.length)
      for (const account of accounts.filter(({ addressFormat }) => shared.test(addressFormat))) {
        t.equal(await refusedAccount(scene, account), "ACCOUNT_TAKEN", account.addressFormat)
      }
    }
  },
)

t.test("private keys carry every format of their curve and sign by each address", async (t) => {
  const scene = await stage(t)
  const shared = /_(?:SIGNET_|REGTEST_P2PKH|REGTEST_P2SH)/
  for (const curve of curves) {
    const pairs = allPairs.filter((pair) => pair.curve === curve && !shared.test(pair.addressFormat))
    const addressFormats = pairs.map(({ addressFormat }) => addressFormat)
    const params = { privateKeyName: curve, curve, privateKeyTags: [], addressFormats }
    const outcome = await asRoot(scene).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys: [params] })
    const [made] = valueOf(outcome, "createPrivateKeysResultV2").privateKeys
    const { payload } = fromBinary(RecordSchema, scene.seat.records.get(made?.privateKeyId ?? "")!)
    const { publicKey } = fromBinary(PrivateKeyRecordSchema, payload)
    for (const [index, pair] of pairs.entries()) {
      const signature = await sign(scene, pair, made?.addresses[index]?.address ?? "")
      t.ok(isSignatureOf(pair, publicKey, signature), `${curve} ${pair.addressFormat}`)
    }
  }
})

t.test("a private key does not carry two formats whose addresses are the same text", async (t) => {
  const scene = await stage(t)
  const before = memoryOf(scene)
  const addressFormats = ["TESTNET", "SIGNET"].map((network) => `ADDRESS_FORMAT_BITCOIN_${network}_P2WPKH`)
  const params = { privateKeyName: "k", curve: "CURVE_SECP256K1", privateKeyTags: [], addressFormats }
  const answer = await asRoot(scene).attempt("CREATE_PRIVATE_KEYS_V2", { privateKeys: [params] })
  t.match(answer, { code: "ACCOUNT_TAKEN", field: "parameters.privateKeys[0].addressFormats[1]" })
  t.equal(memoryOf(scene), before)
})
