// Requests whose effect on a limited asset is not known, and batches.
import { Interface, Transaction } from "ethers"
import t from "tap"
import { signParams } from "../harness/api-client.ts"
import { documentOf } from "../harness/document.ts"
import { Recipient, SecretUser } from "../harness/secrets.ts"
import { aggregation, transfers, velocityControl } from "../harness/velocity.ts"
import { limited, pay, type VelocityFixture } from "./velocity-fixture.ts"

const EXCEEDED = "VELOCITY_CONTROL_EXCEEDED"
const TOKEN = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
const PAYEE = `0x${"22".repeat(20)}`
const asset = [{ caip19: `eip155:1/erc20:${TOKEN}`, decimals: "6" }]
const REFUSED = { unknownAmount: "VELOCITY_CONTROL_UNKNOWN_AMOUNT_REFUSED" } as const

let nonce = 0

function parametersOf(signWith: string, declaration: string, values: readonly unknown[]) {
  const name = declaration.slice(0, declaration.indexOf("("))
  const data = new Interface([`function ${declaration}`]).encodeFunctionData(name, values)
  const { unsignedSerialized } = Transaction.from({
    type: 2,
    chainId: 1,
    nonce: ++nonce,
    gasLimit: 60_000n,
    maxFeePerGas: 3n,
    to: TOKEN,
    data,
  })
  return { signWith, unsignedTransaction: unsignedSerialized.slice(2), type: "TRANSACTION_TYPE_ETHEREUM" }
}

/** A call of the token by dan or by the root user; "outcome", or the code of the refusal. */
async function call(
  fixture: VelocityFixture,
  by: "dan" | "root",
  declaration: string,
  ...values: readonly unknown[]
): Promise<string> {
  const { client, acme, address } = fixture
  const parameters = parametersOf(address, declaration, values)
  const body = client.body("ACTIVITY_TYPE_SIGN_TRANSACTION_V2", acme.organizationId, parameters)
  const answer = await client.send(body, by === "dan" ? fixture.dan.key : acme.root)
  return answer.is === "refused" ? answer.code : answer.is
}

t.test("V3: a function of a listed token that is not known passes no limit", async (t) => {
  const fixture = await limited(t, transfers(asset, { aggregation: aggregation({ threshold: "1000" }) }))
  t.equal(await call(fixture, "dan", "transfer(address,uint256)", PAYEE, 5), "outcome")
  t.equal(await call(fixture, "dan", "decreaseAllowance(address,uint256)", PAYEE, 2n ** 255n), "outcome")
  t.equal(await call(fixture, "dan", "increaseApproval(address,uint256)", PAYEE, 2n ** 255n), EXCEEDED)
  t.equal(
    await call(fixture, "dan", "transferAndCall(address,uint256,bytes)", PAYEE, 10n ** 10n, "0x"),
    EXCEEDED,
  )
  t.equal(await call(fixture, "dan", "authorizeOperator(address)", PAYEE), EXCEEDED)
  t.equal(await call(fixture, "dan", "transfer(address,uint256)", PAYEE, 5), "outcome", "nothing was counted")
  t.equal(await call(fixture, "root", "authorizeOperator(address)", PAYEE), "outcome", "the root quorum")
  t.equal(await call(fixture, "dan", "transfer(address,uint256)", PAYEE, 5), EXCEEDED, "the bucket is full")
  await fixture.boundary.restart()
  t.equal(await call(fixture, "dan", "transfer(address,uint256)", PAYEE, 5), EXCEEDED, "and stays so")
})

t.test(
  "V3: a control that refuses unknown amounts refuses them for every user, and counts nothing",
  async (t) => {
    const { dataSource, ...rest } = transfers(asset, { aggregation: aggregation({ threshold: "1000" }) })
    const chainAssetTransfer = { ...dataSource.chainAssetTransfer, ...REFUSED }
    const fixture = await limited(t, { ...rest, dataSource: { chainAssetTransfer } } as never)
    for (const by of ["dan", "root"] as const)
      t.equal(
        await call(fixture, by, "authorizeOperator(address)", PAYEE),
        "VELOCITY_CONTROL_AMOUNT_UNKNOWN",
        by,
      )
    t.equal(await call(fixture, "dan", "transfer(address,uint256)", PAYEE, 5), "outcome")
    t.equal(await pay(fixture, "1000"), "signed", "another asset")
  },
)

t.test(
  "V3: a control that was stored without the setting counts unknown amounts without limit",
  async (t) => {
    const fixture = await limited(t, transfers(asset))
    const [control] = documentOf(fixture.client, fixture.acme.organizationId).velocityControls
    const { definition } = control!.dataSource!
    if (definition.case !== "chainAssetTransfer") throw new Error("the control counts transfers")
    t.equal(definition.value.unknownAmount, undefined, "as the first release stored it")
    t.equal(await call(fixture, "dan", "setApprovalForAll(address,bool)", PAYEE, true), EXCEEDED)
  },
)

t.test("V4: a batch of payloads counts each of them, and an export each secret", async (t) => {
  const types = ["SIGN_RAW_PAYLOADS", "EXPORT_SECRETS"].map((name) => `ACTIVITY_TYPE_${name}`)
  const filter = { activity: types.map((activityType) => ({ activityType })) }
  const five = { method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT", threshold: "5" } as const
  const dataSource = { activityExecution: { filter } }
  const fixture = await limited(t, velocityControl({ dataSource, aggregation: aggregation(five) }))
  const [first = "", second = ""] = await new SecretUser(fixture).import(
    { plaintext: "one" },
    { plaintext: "two" },
  )
  const { client, acme, address, dan } = fixture
  const submit = async (type: string | undefined, parameters: object) => {
    const answer = await client.send(client.body(type!, acme.organizationId, parameters), dan.key)
    return answer.is === "refused" ? answer.code : answer.is
  }
  const sign = (count: number) => {
    const { payload: _, ...rest } = signParams(address)
    const payloads = Array.from({ length: count }, (_, index) =>
      String(++nonce * 100 + index).padStart(64, "0"),
    )
    return submit(types[0], { ...rest, payloads })
  }
  const recipient = new Recipient()
  const exportSecrets = (...ids: string[]) =>
    submit(types[1], { secrets: ids.map((id) => recipient.asks(id)) })
  t.equal(await sign(6), EXCEEDED)
  t.equal(await sign(3), "outcome")
  t.equal(await sign(3), EXCEEDED)
  t.equal(await exportSecrets(first, second), "outcome")
  t.equal(await exportSecrets(first), EXCEEDED)
})
