import t from "tap"
import { ethereumAccount, signParams, valueOf } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { asRoot, refused } from "./setup.ts"
import { allow, deny, request, setupMembers } from "./consensus-fixture.ts"

t.test("B5: a request that leaves out any value that a DENY policy reads is refused", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan, walletId, address } = fixture
  const { organizationId } = acme
  const account = await asRoot(fixture).submit("CREATE_WALLET_ACCOUNTS", {
    walletId,
    accounts: [ethereumAccount(7)],
  })
  const [leaving] = valueOf(account, "createWalletAccountsResult").addresses
  const privateKeys = [
    {
      privateKeyName: "spare",
      curve: "CURVE_SECP256K1",
      addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      privateKeyTags: [],
    },
  ]
  const made = await asRoot(fixture).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
  const { privateKeyId = "" } = valueOf(made, "createPrivateKeysResultV2").privateKeys[0] ?? {}
  const tagged = await asRoot(fixture).submit("CREATE_PRIVATE_KEY_TAG", {
    privateKeyTagName: "cold",
    privateKeyIds: [privateKeyId],
  })
  const { privateKeyTagId } = valueOf(tagged, "createPrivateKeyTagResult")
  const typed = {
    signWith: address,
    encoding: "PAYLOAD_ENCODING_EIP712",
    hashFunction: "HASH_FUNCTION_NO_OP",
    payload: JSON.stringify({
      types: { Pay: [{ name: "amount", type: "uint256" }] },
      primaryType: "Pay",
      domain: { chainId: 1 },
      message: { amount: 5 },
    }),
  }
  const authorization = {
    ...typed,
    encoding: "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
    payload: JSON.stringify({ address: `0x${"ab".repeat(20)}`, chainId: 1, nonce: 7 }),
  }
  const targetPublicKey = `04${"11".repeat(64)}`
  const sign = { type: "SIGN_RAW_PAYLOAD_V2", parameters: signParams(address) }
  const signWithKey = { type: "SIGN_RAW_PAYLOAD_V2", parameters: signParams(privateKeyId) }
  const attacks = [
    ["wallet.id", `wallet.id == '${walletId}'`, sign],
    ["wallet.label", "wallet.label == 'First'", sign],
    ["wallet.imported", "!wallet.imported", sign],
    [
      "wallet.exported",
      "!wallet.exported",
      { type: "EXPORT_WALLET", parameters: { walletId, targetPublicKey } },
    ],
    ["wallet_account.address", `wallet_account.address == '${address}'`, sign],
    [
      "wallet_account.path_indexes",
      "wallet_account.path_indexes[4] == 7",
      { type: "EXPORT_WALLET_ACCOUNT", parameters: { address: leaving, targetPublicKey } },
    ],
    [
      "wallet_account.path_hardened",
      "!wallet_account.path_hardened[4]",
      { type: "EXPORT_WALLET_ACCOUNT", parameters: { address: leaving, targetPublicKey } },
    ],
    ["private_key.id", `private_key.id == '${privateKeyId}'`, signWithKey],
    ["private_key.label", "private_key.label == 'spare'", signWithKey],
    ["private_key.tags", `private_key.tags.contains('${privateKeyTagId}')`, signWithKey],
    [
      "private_key of an export",
      "!private_key.exported",
      { type: "EXPORT_PRIVATE_KEY", parameters: { privateKeyId, targetPublicKey } },
    ],
    [
      "wallets",
      "wallets.any(w, w.label == 'First')",
      { type: "DELETE_WALLETS", parameters: { walletIds: [walletId], deleteWithoutExport: true } },
    ],
    [
      "activity.params",
      `'${dan.userId}' in activity.params.user_ids`,
      { type: "DELETE_USERS", parameters: { userIds: [dan.userId.toUpperCase()] } },
    ],
    ["eth.eip_712", "eth.eip_712.message['amount'] == 5", { type: "SIGN_RAW_PAYLOAD_V2", parameters: typed }],
    [
      "eth.eip_7702_authorization",
      "eth.eip_7702_authorization.nonce == 7",
      { type: "SIGN_RAW_PAYLOAD_V2", parameters: authorization },
    ],
    ["approvers", "", sign],
  ] as const
  await allow(fixture)
  for (const [what, condition, { type, parameters }] of attacks) {
    const consensus = what === "approvers" ? `approvers.any(u, u.id == '${dan.userId}')` : ""
    const policyId = await deny(fixture, { ...(condition && { condition }), ...(consensus && { consensus }) })
    const document = client.documents.get(organizationId)!
    const body = client.body(`ACTIVITY_TYPE_${type}`, organizationId, parameters)
    const xStamp = stampWith(dan.key, body)
    // After this restart the signer has no supplied records in memory.
    await boundary.restart()
    const stranger = [...client.records.values()].slice(0, 1)
    for (const [records, how] of [
      [[], "nothing"],
      [stranger, "another record"],
    ] as const) {
      const attack = () => client.order(body, xStamp, { document, records: [...records] })
      await refused(t, fixture, "PERMISSION_DENIED", attack, `${what}, shown ${how}`)
    }
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
  }
})

t.test("B5: a record that a policy reads and the API tier withholds is refused, never skipped", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  await allow(fixture)
  await deny(fixture, { condition: "wallet.label == 'First' || private_key.label == 'First'" })
  const [nowhere, targetPublicKey] = [`0x${"ab".repeat(20)}`, `04${"11".repeat(64)}`]
  const attempts = [
    ["SIGN_RAW_PAYLOAD_V2", signParams(nowhere), "SIGN_WITH_UNKNOWN"],
    ["EXPORT_WALLET", { walletId: acme.organizationId, targetPublicKey }, "RESOURCE_UNKNOWN"],
    ["EXPORT_WALLET_ACCOUNT", { address: nowhere, targetPublicKey }, "RESOURCE_UNKNOWN"],
    ["EXPORT_PRIVATE_KEY", { privateKeyId: acme.organizationId, targetPublicKey }, "RESOURCE_UNKNOWN"],
  ] as const
  for (const [type, parameters, code] of attempts) {
    const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters)
    await refused(t, fixture, code, () => client.offer(body, stampWith(dan.key, body)), type)
  }
})

t.test("B5: a DENY on an amount is not passed by sending it as text", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, address } = fixture
  await allow(fixture)
  await deny(fixture, { condition: "eth.eip_712.message['amount'] > 1000" })
  const pay = (amount: number | string) => {
    const payload = JSON.stringify({
      types: { Pay: [{ name: "amount", type: "uint256" }] },
      primaryType: "Pay",
      domain: {},
      message: { amount },
    })
    const parameters = { ...signParams(address), encoding: "PAYLOAD_ENCODING_EIP712", payload }
    return client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, parameters)
  }
  const offer = (body: string) => () => client.offer(body, stampWith(dan.key, body))
  await refused(t, fixture, "PERMISSION_DENIED", offer(pay(5000)), "as a number")
  await refused(t, fixture, "PERMISSION_DENIED", offer(pay("5000")), "as text")
  for (const amount of [5, "5"]) t.match(await client.send(pay(amount), dan.key), { is: "outcome" })
  t.match(
    await client.send(request(fixture), dan.key),
    { is: "outcome" },
    "what has no message is not concerned",
  )
})

t.test(
  "A2: a policy reads the wallet's current state, also when the API tier supplies an older record",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, acme, dan, walletId } = fixture
    await allow(fixture, { condition: "wallet.label == 'First'" })
    const offer = (body: string) => () => client.offer(body, stampWith(dan.key, body))
    t.match(await client.send(request(fixture), dan.key), { is: "outcome" })
    const older = client.records.get(walletId)!
    await asRoot(fixture).submit("UPDATE_WALLET", { walletId, walletName: "Second" })
    await refused(t, fixture, "PERMISSION_DENIED", offer(request(fixture)), "renamed")
    const body = request(fixture)
    const shown = { document: client.documents.get(acme.organizationId)!, records: [older] }
    const attack = () => client.order(body, stampWith(dan.key, body), shown)
    await refused(t, fixture, "PERMISSION_DENIED", attack, "with the record as it was")
    await asRoot(fixture).submit("UPDATE_WALLET", { walletId, walletName: "First" })
    t.match(await client.send(request(fixture), dan.key), { is: "outcome" })
    await asRoot(fixture).submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    await refused(t, fixture, "SIGN_WITH_UNKNOWN", offer(request(fixture)), "deleted")
  },
)
