import t from "tap"
import { Reader } from "../harness/bundles.ts"
import { hashAuthorization as hashByEthers } from "ethers"
import { hashAuthorization as hashByViem } from "viem/utils"
import { ethereumAccount, signParams, valueOf } from "../harness/api-client.ts"
import { stampWith } from "../harness/stamper.ts"
import { allow, deny, setupMembers } from "./consensus-fixture.ts"
import { asRoot, refused, setup } from "./setup.ts"

t.test("B5: no spelling of an export's target key avoids a DENY policy", async (t) => {
  const fixture = await setup(t)
  const { client, acme, walletId } = fixture
  const { targetPublicKey } = new Reader()
  const eve = await client.user(acme, "eve")
  const policies = {
    "exports are open": { effect: "EFFECT_ALLOW", condition: "activity.kind == 'EXPORT_WALLET'" },
    "but not for this key": {
      effect: "EFFECT_DENY",
      condition: `activity.params.target_public_key == '${targetPublicKey}'`,
    },
  }
  for (const [policyName, policy] of Object.entries(policies))
    await asRoot(fixture).submit("CREATE_POLICY_V3", { policyName, ...policy, notes: "" })
  const request = (key: string) =>
    client.body("ACTIVITY_TYPE_EXPORT_WALLET", acme.organizationId, { walletId, targetPublicKey: key })
  for (const key of [
    targetPublicKey,
    targetPublicKey.toUpperCase(),
    targetPublicKey.replace(/[ace]/g, (digit) => digit.toUpperCase()),
  ])
    await refused(t, fixture, "PERMISSION_DENIED", () => client.send(request(key), eve.key), key)
  for (const key of [
    `${targetPublicKey}zz`,
    `${targetPublicKey} `,
    `0x${targetPublicKey}`,
    `${targetPublicKey}0`,
  ])
    await refused(t, fixture, "REQUEST_INVALID", () => client.send(request(key), eve.key), key)
  const other = new Reader().targetPublicKey.toUpperCase()
  t.match(await client.send(request(other), eve.key), { is: "outcome" })
})

/** Capitals, except the prefix 0x. */
const capitals = (text: string) => text.toUpperCase().replace(/^0X/, "0x")

t.test("B5: no spelling of an address or id avoids a DENY policy", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, eva, walletId, address } = fixture
  const { submit } = asRoot(fixture)
  const spare = { privateKeyName: "spare", curve: "CURVE_SECP256K1", privateKeyTags: [] }
  const made = await submit("CREATE_PRIVATE_KEYS_V2", {
    privateKeys: [{ ...spare, addressFormats: ["ADDRESS_FORMAT_ETHEREUM"] }],
  })
  const key = valueOf(made, "createPrivateKeysResultV2").privateKeys[0]!
  const accounts = [{ ...ethereumAccount(5), addressFormat: "ADDRESS_FORMAT_COMPRESSED" }]
  const added = await submit("CREATE_WALLET_ACCOUNTS", { walletId, accounts })
  const compressed = valueOf(added, "createWalletAccountsResult").addresses[0]!
  const profile = { sessionProfileName: "reader", scope: "activity.action != 'SIGN'" }
  const { sessionProfileId } = valueOf(
    await submit("CREATE_SESSION_PROFILE", profile),
    "createSessionProfileResult",
  )
  const sign = (signWith: string) => ["SIGN_RAW_PAYLOAD_V2", signParams(signWith)] as const
  const rows = [
    [`wallet_account.address == '${address}'`, address, sign],
    [`wallet_account.address == '${compressed}'`, compressed, sign],
    [`wallet.id == '${walletId}'`, address, sign],
    [`private_key.id == '${key.privateKeyId}'`, key.privateKeyId, sign],
    [`private_key.id == '${key.privateKeyId}'`, key.addresses[0]!.address, sign],
    [
      `wallets.any(w, w.id == '${walletId}')`,
      walletId,
      (id: string) => ["DELETE_WALLETS", { walletIds: [id], deleteWithoutExport: true }] as const,
    ],
    [
      `activity.params.wallet_id == '${walletId}'`,
      walletId,
      (id: string) => ["UPDATE_WALLET", { walletId: id, walletName: "Other" }] as const,
    ],
    [
      `'${eva.userId}' in activity.params.user_ids`,
      eva.userId,
      (id: string) => ["DELETE_USERS", { userIds: [id] }] as const,
    ],
    [
      `activity.params.session_profile_id == '${sessionProfileId}'`,
      sessionProfileId,
      (id: string) => ["DELETE_SESSION_PROFILE", { sessionProfileId: id }] as const,
    ],
  ] as const
  await allow(fixture)
  for (const [condition, text, request] of rows) {
    const policyId = await deny(fixture, { condition })
    for (const spelling of [text, text.toLowerCase(), capitals(text)]) {
      const [type, parameters] = request(spelling)
      const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, parameters)
      const attack = () => client.offer(body, stampWith(dan.key, body))
      await refused(t, fixture, "PERMISSION_DENIED", attack, `${condition}: ${spelling}`)
    }
    await submit("DELETE_POLICY", { policyId })
  }
  t.match(
    await client.send(
      client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address)),
      dan.key,
    ),
    {
      is: "outcome",
    },
  )
})

t.test("B5: no spelling of an authorization avoids a DENY policy", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, address } = fixture
  const delegate = "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC"
  const plain = { address: delegate, chainId: 10, nonce: 3 } as const
  const spellings = [
    plain,
    { ...plain, address: delegate.toLowerCase() },
    { ...plain, address: capitals(delegate) },
    ...["10", "0xa", "0x000A"].map((chainId) => ({ ...plain, chainId })),
    ...["3", "0x3", "0x03"].map((nonce) => ({ ...plain, nonce })),
  ]
  const digest = hashByViem(plain)
  for (const one of spellings)
    t.equal(hashByEthers(one as typeof plain), digest, "ethers and viem see one digest")
  const bodyOf = (authorization: object) =>
    client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, {
      ...signParams(address),
      encoding: "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
      payload: JSON.stringify(authorization),
    })
  await allow(fixture)
  const root = "eth.eip_7702_authorization"
  const conditions = [
    `${root}.address == '${delegate}'`,
    `${root}.chain_id == '10'`,
    `${root}.nonce in ['3']`,
  ]
  for (const condition of conditions) {
    const policyId = await deny(fixture, { condition })
    for (const one of spellings) {
      const body = bodyOf(one)
      const attack = () => client.offer(body, stampWith(dan.key, body))
      await refused(t, fixture, "PERMISSION_DENIED", attack, `${condition}: ${JSON.stringify(one)}`)
    }
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
  }
  t.match(await client.send(bodyOf(plain), dan.key), { is: "outcome" })
})
