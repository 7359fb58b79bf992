// Velocity controls and transactions of several signers, or of none.
import t from "tap"
import { ethereumAccount, valueOf } from "../harness/api-client.ts"
import { solanaTransfer } from "../harness/transactions.ts"
import { aggregation, transfers, velocityControl } from "../harness/velocity.ts"
import { signed } from "./replay-cases-sends.ts"
import { asRoot } from "./setup.ts"
import { counters, createControl, limited, pay, payment } from "./velocity-fixture.ts"

const EXCEEDED = "VELOCITY_CONTROL_EXCEEDED"

t.test("V2: a transaction that several wallets sign counts in the bucket of each", async (t) => {
  const lamports = [{ caip19: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1/slip44:501", decimals: "9" }]
  const fixture = await limited(
    t,
    transfers(lamports, { aggregation: aggregation({ groupBy: { wallet: {} } }) }),
  )
  const { client, acme, dan } = fixture
  const format = { ...ethereumAccount(0), curve: "CURVE_ED25519", addressFormat: "ADDRESS_FORMAT_SOLANA" }
  const accounts = [{ ...format, path: "m/44'/501'/0'/0'" }]
  const wallets = ["One", "Two", "Three"].map(async (walletName) => {
    const made = await asRoot(fixture).submit("CREATE_WALLET", { walletName, accounts })
    return valueOf(made, "createWalletResult").addresses[0] ?? ""
  })
  const [one = "", two = "", three = ""] = await Promise.all(wallets)
  const sendBy = async (...signWiths: string[]) => {
    const { bytes } = solanaTransfer({ signers: signWiths, lamports: 1_000_000_000n })
    const unsignedTransaction = Buffer.from(bytes).toString("hex")
    const parameters = { unsignedTransaction, signWiths, caip2: "solana:devnet" }
    const type = "ACTIVITY_TYPE_SOL_SEND_TRANSACTION_V2"
    const answer = await client.send(client.body(type, acme.organizationId, parameters), dan.key)
    return answer.is === "refused" ? answer.code : answer.is
  }
  t.equal(await sendBy(one, two), "outcome")
  t.equal(counters(fixture).length, 2)
  t.equal(await sendBy(one), EXCEEDED)
  t.equal(await sendBy(two), EXCEEDED)
  t.equal(await sendBy(three), "outcome", "its wallet has signed nothing")
  t.equal(await sendBy(three, two), EXCEEDED, "one bucket is full")
})

t.test("V2: a transaction that was signed elsewhere is no transfer, and counts as an activity", async (t) => {
  const eth = { caip19: "eip155:8453/slip44:60", decimals: "18" }
  const fixture = await limited(t, transfers([eth], { aggregation: aggregation({ threshold: "0" }) }))
  const { client, acme, dan } = fixture
  const type = "ACTIVITY_TYPE_ETH_SEND_RAW_TRANSACTION"
  const broadcast = async (nonce: number) => {
    const parameters = { caip2: "eip155:8453", signedTransaction: await signed(nonce, { value: 5n }) }
    const answer = await client.send(client.body(type, acme.organizationId, parameters), dan.key)
    return answer.is === "refused" ? answer.code : answer.is
  }
  t.equal(await pay(fixture, "0"), "signed")
  t.equal(await broadcast(1), "outcome", "nothing was signed here")
  const activities = { activityExecution: { filter: { activity: [{ activityType: type }] } } }
  const once = { method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT", threshold: "1" } as const
  await createControl(
    fixture,
    velocityControl({ identifier: "broadcasts", dataSource: activities, aggregation: aggregation(once) }),
  )
  await asRoot(fixture).submit("UPDATE_POLICY_V2", {
    policyId: fixture.policyId,
    policyCondition: "controls.broadcasts",
  })
  t.equal(await broadcast(2), "outcome")
  t.equal(await broadcast(3), EXCEEDED)
})

t.test("V2: a control of transfers names no activity that signs nothing", async (t) => {
  const fixture = await limited(t)
  const { attempt, submit } = asRoot(fixture)
  const filtered = (...types: string[]) => {
    const activity = types.map((activityType) => ({ activityType: `ACTIVITY_TYPE_${activityType}` }))
    const chainAssetTransfer = { definition: [{ caip19: "eip155:1/slip44:60", decimals: "18" }] }
    const dataSource = { chainAssetTransfer: { ...chainAssetTransfer, filter: { activity } } }
    return velocityControl({ identifier: `other_${types.length}`, dataSource, aggregation: aggregation() })
  }
  const raw = filtered("SIGN_TRANSACTION_V2", "ETH_SEND_RAW_TRANSACTION")
  t.match(await attempt("CREATE_VELOCITY_CONTROL", raw), {
    code: "VELOCITY_CONTROL_INVALID",
    sentence: /filter.activity\[1\].activityType: ACTIVITY_TYPE_ETH_SEND_RAW_TRANSACTION signs nothing/,
  })
  t.ok(await submit("CREATE_VELOCITY_CONTROL", filtered("SIGN_TRANSACTION_V2")))
})

t.test("V2: a control that lists one version of an activity counts the others", async (t) => {
  const once = { method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT", threshold: "1" } as const
  for (const listed of ["ACTIVITY_TYPE_SIGN_TRANSACTION", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"]) {
    const dataSource = { activityExecution: { filter: { activity: [{ activityType: listed }] } } }
    const control = velocityControl({ identifier: "signed", dataSource, aggregation: aggregation(once) })
    const fixture = await limited(t, control)
    const { client, acme, dan } = fixture
    const key = { privateKeyName: "key", curve: "CURVE_SECP256K1", privateKeyTags: [] }
    const privateKeys = [{ ...key, addressFormats: ["ADDRESS_FORMAT_ETHEREUM"] }]
    const made = await asRoot(fixture).submit("CREATE_PRIVATE_KEYS_V2", { privateKeys })
    const [key1] = valueOf(made, "createPrivateKeysResultV2").privateKeys
    const privateKeyId = key1?.privateKeyId ?? ""
    const { signWith: _signWith, ...unsigned } = payment("", "0")
    const send = async (type: string, parameters: object) => {
      const answer = await client.send(client.body(type, acme.organizationId, parameters), dan.key)
      return answer.is === "refused" ? answer.code : answer.is
    }
    const first = await send("ACTIVITY_TYPE_SIGN_TRANSACTION", { privateKeyId, ...unsigned })
    const second = await send("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", payment(privateKeyId, "0"))
    t.same([first, second], ["outcome", EXCEEDED], `${listed} is listed`)
  }
})
