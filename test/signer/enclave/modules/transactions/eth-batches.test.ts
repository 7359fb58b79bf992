import { recoverAuthorizationAddress } from "viem/utils"
import t from "tap"
import { decodeFunctionData, parseAbi, recoverTypedDataAddress, type Hex } from "viem"
import { valueOf } from "../../../../harness/api-client.ts"
import {
  CHAIN,
  FILL,
  OTHER,
  readSent,
  send,
  sentBy,
  setupSends,
  TO,
  transferOf,
} from "../../../../harness/sends.ts"
import { allow, deny, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { refused } from "../../../../hostile/setup.ts"
import { DELEGATE, EXECUTION_TYPES, readPacked, STATIONS } from "../../../../harness/gas-station.ts"

const ZERO = `0x${"00".repeat(20)}` as const
const OWN_BATCH = parseAbi([
  "struct Call { address to; uint256 value; bytes data; }",
  "function executeBatch(Call[] calls, bytes packed)",
])

const calls = [
  { to: TO, value: "7" },
  { to: OTHER, data: "0xdeadbeef" },
]

t.test("several calls are one transaction to the sender itself, which the delegate runs", async (t) => {
  for (const isDelegated of [true, false]) {
    const fixture = await setupSends(t, STATIONS, { ...FILL, isDelegated })
    const { address } = fixture
    const outcome = await send(fixture, { from: address, caip2: CHAIN, calls }, "ETH_SEND_TRANSACTION_V2")
    const sent = sentBy(outcome)
    const nowSeconds = Math.floor(fixture.boundary.clock.wallMs() / 1000)
    t.equal(sent.validUntilMs, BigInt(nowSeconds + 3600) * 1000n)
    const read = await readSent(sent)
    t.match(read, { from: address, to: address.toLowerCase(), nonce: 7, gas: FILL.gasLimit, chainId: 8453 })
    t.equal(read.type, isDelegated ? "eip1559" : "eip7702")
    const { args } = decodeFunctionData({ abi: OWN_BATCH, data: read.data! })
    t.match(args[0], [
      { to: TO, value: 7n, data: "0x" },
      { to: OTHER, value: 0n, data: "0xdeadbeef" },
    ])
    const { nonce, deadline, signature, rest } = readPacked(args[1])
    t.strictSame([nonce, deadline, rest], [3n, nowSeconds + 3600, "0x"])
    const signer = await recoverTypedDataAddress({
      domain: { name: "TKGasDelegate", version: "1", chainId: 8453, verifyingContract: address as Hex },
      types: EXECUTION_TYPES,
      primaryType: "BatchExecution",
      message: { nonce, deadline, calls: args[0] },
      signature,
    })
    t.equal(signer, address, "viem recovers the sender from the batch")
    if (read.type !== "eip7702") continue
    const [authorization] = read.authorizationList ?? []
    t.match(
      authorization,
      { chainId: 8453, address: DELEGATE.toLowerCase(), nonce: 8 },
      "one above the transaction's",
    )
    t.equal(await recoverAuthorizationAddress({ authorization: authorization! }), address)
  }
})

t.test("every call of a batch is judged by itself", async (t) => {
  const fixture = await setupMembers(t, STATIONS)
  const { client, acme, dan, address } = fixture
  client.chain = () => ({ ...FILL, isDelegated: false })
  const attempt = (more: object = {}) => {
    const parameters = { from: address, caip2: CHAIN, calls, ...more }
    return client.send(
      client.body("ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2", acme.organizationId, parameters),
      dan.key,
    )
  }
  await allow(fixture, { condition: `eth.tx.to == '${TO.toLowerCase()}'` })
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt(), "the second call goes elsewhere")
  t.match(await attempt({ calls: [calls[0], { to: TO }] }), { is: "outcome" })
  await allow(fixture)
  t.match(await attempt(), { is: "outcome" })
  await deny(fixture, {
    condition: "eth.tx.value == 7 && eth.tx.type == 'TYPE_4' && eth.tx.max_fee_per_gas > 0",
  })
  await refused(t, fixture, "PERMISSION_DENIED", () => attempt(), "the first call pays 7")
})

t.test("ends a delegation by an authorization of the zero address", async (t) => {
  const fixture = await setupSends(t)
  const { from, caip2 } = transferOf(fixture)
  const outcome = await send(fixture, { from, caip2 }, "ETH_UNDELEGATE_7702")
  const { sendTransactionStatusId } = valueOf(outcome, "ethUndelegate7702Result")
  t.equal(sentBy(outcome).sendTransactionStatusId, sendTransactionStatusId)
  const read = await readSent(sentBy(outcome))
  t.match(read, { type: "eip7702", from, to: from.toLowerCase(), nonce: 7 })
  t.strictSame([read.value ?? 0n, read.data ?? "0x"], [0n, "0x"])
  const [authorization, ...others] = (read.type === "eip7702" && read.authorizationList) || []
  t.match(authorization, { address: ZERO, chainId: 8453, nonce: 8 })
  t.strictSame(others, [])
  t.equal(await recoverAuthorizationAddress({ authorization: authorization! }), from)
})

t.test("policies see the end of a delegation as an authorization", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, address: from } = fixture
  client.chain = () => FILL
  const attempt = () =>
    client.send(
      client.body("ACTIVITY_TYPE_ETH_UNDELEGATE_7702", acme.organizationId, { from, caip2: CHAIN }),
      dan.key,
    )
  await refused(t, fixture, "PERMISSION_DENIED", attempt)
  await allow(fixture, {
    condition: `eth.eip_7702_authorization.address == '${ZERO}' && eth.tx.type == 'TYPE_4'`,
  })
  t.match(await attempt(), { is: "outcome" })
})

t.test("deadlines have passed for nobody and are not far ahead", async (t) => {
  const fixture = await setupSends(t, { ...STATIONS, COUNTERSIGN_SIGNER_MAX_DEADLINE_SECONDS: "60" })
  const { address: from, client, acme, boundary } = fixture
  const attempt = (deadline: number) => {
    const parameters = { from, caip2: CHAIN, calls, deadline: String(deadline) }
    return client.send(
      client.body("ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2", acme.organizationId, parameters),
      acme.root,
    )
  }
  const now = () => Math.floor(boundary.clock.wallMs() / 1000)
  await refused(t, fixture, "SEND_DEADLINE_INVALID", () => attempt(now()), "now")
  await refused(
    t,
    fixture,
    "SEND_DEADLINE_INVALID",
    () => attempt(now() + 62),
    "later than the operator allows",
  )
  await refused(t, fixture, "SEND_DEADLINE_INVALID", () => attempt(2 ** 40), "beyond 32 bits")
  t.match(await attempt(now() + 59), { is: "outcome" })
})
