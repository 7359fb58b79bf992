import t from "tap"
import { ethereumAccount, signParams, valueOf } from "../harness/api-client.ts"
import { newKey } from "../harness/stamper.ts"
import { Importer } from "../harness/bundles.ts"
import { asRoot, refused, type Fixture, setup } from "./setup.ts"

const SIGN = "SIGN_RAW_PAYLOAD_V2"
const WORDS = `${"abandon ".repeat(11)}about`
const DIGEST = "11".repeat(32)

/** Each signs with the same key. */
const CASES = [(text: string) => text, capitals, (text: string) => text.toLowerCase()]

/** Upper case except the prefix 0x, which has one spelling. */
function capitals(text: string): string {
  return text.startsWith("0x") ? `0x${text.slice(2).toUpperCase()}` : text.toUpperCase()
}

function tonForms(address: string): string[] {
  return [address, Buffer.from(address, "base64url").toString("base64")]
}

const account = (index: number, addressFormat: string, curve = "CURVE_SECP256K1") => ({
  ...ethereumAccount(index),
  curve,
  addressFormat: `ADDRESS_FORMAT_${addressFormat}`,
})

t.test("A2: an account belongs to its wallet, in whichever case the wallet's id is written", async (t) => {
  const fixture = await setup(t)
  const { boundary, walletId } = fixture
  const { submit, order } = asRoot(fixture)
  const later = { walletId: capitals(walletId), accounts: [ethereumAccount(7)] }
  const made = await submit("CREATE_WALLET_ACCOUNTS", later)
  const address = valueOf(made, "createWalletAccountsResult").addresses[0]!
  await submit(SIGN, signParams(address))
  const records = [...fixture.client.records.values()]
  await submit("DELETE_WALLETS", { walletIds: [capitals(walletId)], deleteWithoutExport: true })
  const sign = order(SIGN, signParams(address))
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    await refused(t, fixture, "SIGN_WITH_UNKNOWN", () => sign(...records), `${restarts} restarts`)
  }
  const { ledger } = boundary.signer.state()
  t.same(ledger.rows(fixture.acme.organizationId, "address"), [], "nothing of the wallet holds an address")
})

t.test(
  "A2: a deleted account signs under no spelling of its address, also under spellings used before",
  async (t) => {
    const fixture = await setup(t)
    const { submit, attempt } = asRoot(fixture)
    const accounts = [
      account(1, "ETHEREUM"),
      account(2, "BITCOIN_MAINNET_P2TR"),
      account(3, "COSMOS"),
      account(4, "COMPRESSED"),
    ]
    const { walletId } = fixture
    const made = valueOf(
      await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts }),
      "createWalletAccountsResult",
    )
    const ton = { walletId, accounts: [account(5, "TON_V4R2", "CURVE_ED25519")] }
    const tonMade = valueOf(await submit("CREATE_WALLET_ACCOUNTS", ton), "createWalletAccountsResult")
    const key = { privateKeyName: "one", curve: "CURVE_SECP256K1", privateKeyTags: [] }
    const keys = { privateKeys: [{ ...key, addressFormats: ["ADDRESS_FORMAT_ETHEREUM"] }] }
    const born = valueOf(await submit("CREATE_PRIVATE_KEYS_V2", keys), "createPrivateKeysResultV2")
      .privateKeys[0]!
    const { privateKeyId, addresses } = born
    const tonParams = (signWith: string) => ({
      ...signParams(signWith, DIGEST),
      hashFunction: "HASH_FUNCTION_NOT_APPLICABLE",
    })
    const requests = [
      ...made.addresses.map((text) => CASES.map((spell) => signParams(spell(text), DIGEST))),
      tonMade.addresses.flatMap(tonForms).map(tonParams),
      CASES.map((spell) => signParams(spell(privateKeyId), DIGEST)),
      CASES.map((spell) => signParams(spell(addresses[0]!.address), DIGEST)),
    ]
    for (const spellings of requests) {
      const results = await Promise.all(
        spellings.map(async (request) => (await submit(SIGN, request)).result),
      )
      t.same(
        results,
        results.map(() => results[0]),
        `one key: ${spellings[0]?.signWith}`,
      )
    }
    await submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    await submit("DELETE_PRIVATE_KEYS", { privateKeyIds: [privateKeyId], deleteWithoutExport: true })
    for (const request of requests.flat()) {
      const code = request.signWith.toLowerCase() === privateKeyId ? "RECORD_DELETED" : "SIGN_WITH_UNKNOWN"
      await refused(t, fixture, code, () => attempt(SIGN, request), request.signWith)
    }
  },
)

t.test("A8: a key cached for one organization signs for no other", async (t) => {
  const fixture = await setup(t)
  const there: Fixture = { ...fixture, acme: await fixture.client.createOrganization("Other") }
  const bystander: Fixture = { ...fixture, acme: await fixture.client.createOrganization("Bystander") }
  const imported = async (where: Fixture) => {
    const parameters = await new Importer(where).wallet("Same", WORDS, [ethereumAccount(0)])
    return valueOf(await asRoot(where).submit("IMPORT_WALLET", parameters), "importWalletResult")
  }
  const ours = await imported(fixture)
  const theirs = await imported(there)
  t.same(ours.addresses, theirs.addresses)
  const request = signParams(ours.addresses[0]!, DIGEST)
  for (const where of [fixture, there]) await asRoot(where).submit(SIGN, request)
  const stolen = () => asRoot(bystander).order(SIGN, request)(...fixture.client.records.values())
  await refused(t, fixture, "SIGN_WITH_UNKNOWN", stolen, "for one that has no such account")
  await asRoot(there).submit("DELETE_WALLETS", { walletIds: [theirs.walletId], deleteWithoutExport: true })
  const gone = () => asRoot(there).order(SIGN, request)(...fixture.client.records.values())
  await refused(t, fixture, "SIGN_WITH_UNKNOWN", gone, "for an organization that deleted it")
  t.match(
    await asRoot(fixture).attempt(SIGN, request),
    { is: "outcome" },
    "another organization's deletion has no effect",
  )
})

t.test("A2: ids of users, tags and keys are read in capitals, as a wallet's are", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { submit, attempt } = asRoot(fixture)
  const dan = await client.user(acme, "dan")
  const apiKey = { apiKeyName: "own", publicKey: newKey().publicKeyHex, curveType: "API_KEY_CURVE_P256" }
  const own = { userId: capitals(dan.userId), apiKeys: [apiKey] }
  const { organizationId } = acme
  const added = await client.submit(dan.key, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", organizationId, own)
  const [apiKeyId = ""] = valueOf(added, "createApiKeysResult").apiKeyIds
  const tag = { userTagName: "Staff", userIds: [capitals(dan.userId)] }
  const { userTagId } = valueOf(await submit("CREATE_USER_TAG", tag), "createUserTagResult")
  await submit("DELETE_USER_TAGS", { userTagIds: [capitals(userTagId)] })
  const removal = { userId: dan.userId, apiKeyIds: [capitals(apiKeyId)] }
  await client.submit(dan.key, "ACTIVITY_TYPE_DELETE_API_KEYS", organizationId, removal)
  const twice = { threshold: 1, userIds: [acme.rootUserId, capitals(acme.rootUserId)] }
  t.match(await attempt("UPDATE_ROOT_QUORUM", twice), { code: "QUORUM_INVALID", sentence: /twice/ })
  const gone = valueOf(await submit("DELETE_USERS", { userIds: [capitals(dan.userId)] }), "deleteUsersResult")
  t.same(gone.userIds, [dan.userId], "the stored spelling is returned")
})
