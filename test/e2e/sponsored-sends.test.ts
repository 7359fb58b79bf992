// Sponsored sends and batches through the whole system, on a chain with a gas station of our own. Its effects are read from
// the chain.
import t from "tap"
import { encodeFunctionData, type Hex, parseTransaction } from "viem"
import { startAnvil } from "../harness/anvil.ts"
import { rpcFront } from "../harness/rpc-front.ts"
import { type CompiledContract, deploy, readContract } from "../harness/contracts.ts"
import type { Json } from "../harness/system.ts"
import { until } from "../services/worker/start-worker.ts"
import { EthereumSends, startSending } from "./sending.ts"

const TO = "0x00000000000000000000000000000000000000aa"
const OTHER = "0x00000000000000000000000000000000000000bb"
type Contracts = [CompiledContract, CompiledContract, CompiledContract]
const LIMITS = { orgWindowLimitUsd: "1000", subOrgWindowLimitUsd: "1000", windowDurationMinutes: "60" }

t.test("sponsored sends and batches, on a chain:", async (t) => {
  const chain = await startAnvil(t)
  const front = await rpcFront(t, chain)
  const [delegateCode, stationCode, Reverts] = ["GasDelegate", "GasStation", "Reverts"].map(
    readContract,
  ) as Contracts
  const delegate = await deploy(chain, delegateCode)
  const station = await deploy(chain, stationCode, [delegate])
  const target = await deploy(chain, Reverts)
  const caip2 = `eip155:${chain.chainId}`
  const { system, client, acme } = await startSending(t, {
    chain,
    nodeUrl: front.url,
    signer: {
      COUNTERSIGN_SIGNER_GAS_STATIONS: `${caip2}=${station}/${delegate}/TKGasDelegate/1`,
      COUNTERSIGN_SIGNER_NATIVE_PRICES_USD: `${caip2}=2000`,
      COUNTERSIGN_SIGNER_MAX_DEADLINE_SECONDS: "7200",
    },
  })
  const { organizationId, root } = acme
  const paymaster = await system.paymaster()
  await client.fund(paymaster)
  const limits = system.body("UPSERT_GAS_USAGE_CONFIG", organizationId, LIMITS)
  await system.submit("upsert_gas_usage_config", limits, root)
  // It can pay for no gas.
  const from = await client.account(1000n)
  const sponsored = { from, sponsor: true }

  const codeOf = (address: string) => chain.call<string>("eth_getCode", address, "latest")
  const delegationTo = (address: string) => `0xef0100${address.slice(2).toLowerCase()}`
  const stationNonce = async (address: string) => {
    const asked = { organizationId, address, caip2, gasStationNonce: true }
    return (await system.query("get_nonces", asked, root)).json["gasStationNonce"]
  }
  /** The cost of a mined transaction, wei. */
  const costOf = ({ gasUsed, effectiveGasPrice }: Json) =>
    BigInt(String(gasUsed)) * BigInt(String(effectiveGasPrice))

  t.test("the first use delegates the account and runs its call; the paymaster pays all gas", async (t) => {
    t.equal(await codeOf(from), "0x")
    const before = await client.balance(paymaster)
    const { receipt } = await client.mined({ ...sponsored, to: TO, value: "5" })
    t.match(receipt, { status: "0x1", type: "0x4", from: paymaster, to: station.toLowerCase() })
    t.equal(await codeOf(from), delegationTo(delegate))
    t.same(await Promise.all([client.balance(TO), client.balance(from)]), [5n, 995n])
    t.equal(before - (await client.balance(paymaster)), costOf(receipt))
    t.equal(await stationNonce(from), "1")
  })

  t.test("later uses authorize nothing again, and call contracts as the account", async (t) => {
    const data = encodeFunctionData({ abi: Reverts.abi, functionName: "set", args: [7n] })
    const { receipt } = await client.mined({ ...sponsored, to: target, data, value: "2" })
    t.match(receipt, { status: "0x1", type: "0x2", from: paymaster })
    t.equal(BigInt(await chain.call<string>("eth_getStorageAt", target, "0x0", "latest")), 7n)
    t.same(await Promise.all([client.balance(target), client.balance(from)]), [2n, 993n])
    t.equal(await stationNonce(from), "2")
  })

  t.test("a batch of calls is one transaction of the paymaster: all have run", async (t) => {
    const data = encodeFunctionData({ abi: Reverts.abi, functionName: "set", args: [9n] })
    const calls = [
      { to: TO, value: "10" },
      { to: OTHER, value: "20" },
      { to: target, data },
    ]
    const { receipt } = await client.mined({ ...sponsored, calls }, "_V2")
    t.match(receipt, { status: "0x1", type: "0x2", from: paymaster })
    const balances = [TO, OTHER, from].map((address) => client.balance(address))
    t.same(await Promise.all(balances), [15n, 20n, 963n])
    t.equal(BigInt(await chain.call<string>("eth_getStorageAt", target, "0x0", "latest")), 9n)
  })

  t.test("a batch of which one call reverts on the chain has run none, and its status says so", async (t) => {
    const data = encodeFunctionData({ abi: Reverts.abi, functionName: "withText" })
    const calls = [
      { to: OTHER, value: "1" },
      { to: target, data },
    ]
    const parameters = { ...sponsored, calls, gasLimit: "400000" }
    const { status, receipt } = await client.mined(parameters, "_V2")
    t.match(receipt, { status: "0x0", from: paymaster })
    t.match(status, {
      error: { revertChain: [{ address: station.toLowerCase(), unknown: { selector: "0xacfdb444" } }] },
    })
    t.equal(await client.balance(OTHER), 20n)
  })

  t.test("two sends that name one gasStationNonce are one effect", async (t) => {
    const gasStationNonce = String(await stationNonce(from))
    const one = { ...sponsored, to: OTHER, value: "1", gasStationNonce }
    t.match((await client.mined(one)).receipt, { status: "0x1" })
    const { receipt, status } = await client.mined({ ...one, value: "3" })
    t.match(receipt, { status: "0x0", from: paymaster })
    t.match(status, { error: { revertChain: [{ unknown: { selector: "0x756688fe" } }] } }, "InvalidNonce")
    t.match(
      status["txError"],
      new RegExp(`other calls of ${from} have used nonce ${gasStationNonce} of its delegate`, "i"),
    )
    t.equal(await client.balance(OTHER), 21n)
  })

  t.test("calls whose turn has not come revert, and their status says which nonce is missing", async (t) => {
    const next = BigInt(String(await stationNonce(from)))
    for (const [nonce, missing] of [
      [next + 1n, `After calls with nonce ${next}, anyone`],
      [next + 3n, `After calls with the nonces ${next} to ${next + 2n}, anyone`],
    ] as const) {
      const { receipt, status } = await client.mined({
        ...sponsored,
        to: OTHER,
        value: "1",
        gasStationNonce: String(nonce),
        gasLimit: "300000",
      })
      t.match(receipt, { status: "0x0" })
      t.match(
        status["txError"],
        `which expects ${next}: earlier calls failed or were never included. ${missing}`,
      )
    }
  })

  t.test("sends at the same time get delegate nonces of their own", async (t) => {
    await chain.call("evm_setAutomine", false)
    const fresh = await client.account(1000n)
    const ids = await Promise.all(
      [1, 2, 3, 4].map((value) =>
        client.statusId(client.body({ from: fresh, sponsor: true, to: OTHER, value: String(value) })),
      ),
    )
    for (const id of ids) await client.reached(id, ({ txStatus }) => txStatus === "BROADCASTING")
    await chain.call("anvil_mine", "0x1")
    await chain.call("evm_setAutomine", true)
    for (const id of ids)
      t.strictSame(await client.ended(id).then(({ txStatus, error }) => [txStatus, error]), [
        "INCLUDED",
        undefined,
      ])
    t.same(await Promise.all([client.balance(OTHER), client.balance(fresh)]), [31n, 990n])
    t.equal(await stationNonce(fresh), "4")
  })

  t.test("after its deadline a mined call has no effect", async (t) => {
    const { timestamp } = await chain.call<{ timestamp: string }>("eth_getBlockByNumber", "latest", false)
    const deadline = String(Math.floor(Date.now() / 1000) + 600)
    t.match((await client.mined({ ...sponsored, to: OTHER, value: "1", deadline })).receipt, {
      status: "0x1",
    })
    await chain.call("evm_setNextBlockTimestamp", Number(timestamp) + 3000)
    await chain.call("anvil_mine", "0x1")
    const { receipt, status } = await client.mined({ ...sponsored, to: OTHER, value: "1", deadline })
    t.match(receipt, { status: "0x0", from: paymaster })
    t.match(status, { error: { revertChain: [{ unknown: { selector: "0x559895a3" } }] } }, "DeadlineExceeded")
    t.equal(await client.balance(OTHER), 32n)
  })

  t.test(
    "a batch that its sender pays delegates on first use too, and an undelegation ends it",
    async (t) => {
      const undelegating = new EthereumSends(system, acme, chain, "eth_undelegate_7702")
      const payer = await client.account()
      const before = await client.balance(payer)
      const calls = [
        { to: TO, value: "100" },
        { to: OTHER, value: "200" },
      ]
      const first = await client.mined({ from: payer, calls }, "_V2")
      t.match(first.receipt, {
        status: "0x1",
        type: "0x4",
        from: payer.toLowerCase(),
        to: payer.toLowerCase(),
      })
      t.equal(before - (await client.balance(payer)), costOf(first.receipt) + 300n)
      const again = await client.mined({ from: payer, calls }, "_V2")
      t.match(again.receipt, { status: "0x1", type: "0x2" })
      t.same(await Promise.all([client.balance(TO), client.balance(OTHER)]), [215n, 432n])
      t.equal(await codeOf(payer), delegationTo(delegate))
      t.match((await undelegating.mined({ from: payer })).receipt, {
        status: "0x1",
        type: "0x4",
      })
      t.equal(await codeOf(payer), "0x")
    },
  )

  t.test(
    "the calls of a cancelled batch are dead: nobody can run them, with the bytes or without",
    async (t) => {
      const cancelling = new EthereumSends(system, acme, chain, "eth_cancel_transaction")
      const payer = await client.account()
      const stranger = await client.account()
      const code = (error: unknown) => JSON.stringify(error instanceof Error ? [error.message, error] : error)
      // The first batch changes the delegation too, the second one does not.
      for (const isFirst of [true, false]) {
        await chain.call("evm_setAutomine", false)
        const before = await client.balance(OTHER)
        const calls = [
          { to: TO, value: "100" },
          { to: OTHER, value: "200" },
        ]
        const id = await client.statusId(client.body({ from: payer, calls }, "_V2"))
        await client.reached(id, ({ txStatus }) => txStatus === "BROADCASTING")
        const asked = { organizationId, sendTransactionStatusId: id }
        const { json } = await system.query("get_send_replacement", asked, root)
        const waiting = parseTransaction(json["signedTransaction"] as Hex)
        const {
          cancelGasLimit: gasLimit,
          maxFeePerGas,
          maxPriorityFeePerGas,
          nonce,
          signedTransaction,
        } = json
        const body = { from: payer, nonce, signedTransaction, gasLimit, maxFeePerGas, maxPriorityFeePerGas }
        const cancelId = await cancelling.statusId(cancelling.body(body))
        await cancelling.reached(cancelId, ({ txStatus }) => txStatus === "BROADCASTING")
        const run = () => chain.call("eth_call", { from: stranger, to: payer, data: waiting.data }, "latest")
        if (!isFirst) t.equal(await run(), "0x", "until then anyone can run them")
        await chain.call("anvil_mine", "0x1")
        await chain.call("evm_setAutomine", true)
        t.strictSame(await cancelling.ended(cancelId).then(({ txStatus, error }) => [txStatus, error]), [
          "INCLUDED",
          undefined,
        ])
        const { txStatus, error } = await client.ended(id)
        t.equal(txStatus, "FAILED")
        t.match(JSON.stringify(error), /it was cancelled/)
        t.notMatch(JSON.stringify(error), /stay valid/)
        t.equal(await codeOf(payer), delegationTo(delegate))
        const failure = await run().then(() => "ran", code)
        t.match(failure, /756688fe/, "InvalidNonce")
        t.equal(await client.balance(OTHER), before)
      }
      const calls = [
        { to: OTHER, value: "1" },
        { to: OTHER, value: "1" },
      ]
      t.match(
        (await client.mined({ from: payer, calls }, "_V2")).receipt,
        { status: "0x1" },
        "later batches run",
      )
    },
  )

  t.test("a sponsored send that nodes refuse leaves no gap: the next one takes its nonces", async (t) => {
    const message = "insufficient gas for floor data gas cost"
    const { promise: secondIsSigned, resolve: refuseFirst } = Promise.withResolvers<void>()
    let refused: unknown
    front.on("eth_sendRawTransaction", async ({ id, params }, pass) => {
      refused ??= params[0]
      if (params[0] !== refused) return pass()
      await secondIsSigned
      return { status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message } }) }
    })
    const before = await client.balance(OTHER)
    const send = () => client.statusId(client.body({ ...sponsored, to: OTHER, value: "1" }))
    const first = await send()
    await until(
      async () => refused !== undefined,
      () => "the first send is not broadcast",
    )
    const second = await send()
    refuseFirst()
    t.match(await client.ended(first), { txStatus: "FAILED", error: { message: /floor data gas/ } })
    const waiting = await client.reached(second, ({ txError }) => /waits for/.test(String(txError)))
    t.match(
      String(waiting["txError"]).toLowerCase(),
      `waits for the nonces of ${paymaster.toLowerCase()} before`,
    )
    const third = await send()
    for (const id of [third, second])
      t.strictSame(await client.ended(id).then(({ txStatus, error }) => [txStatus, error]), [
        "INCLUDED",
        undefined,
      ])
    t.equal(await client.balance(OTHER), before + 2n)
    front.clear()
  })

  t.test("get_gas_usage counts each sponsored send at its greatest cost", async (t) => {
    const { json } = await system.query("get_gas_usage", { organizationId }, root)
    t.match(json, { windowDurationMinutes: 60, windowLimitUsd: "1000" })
    t.ok(Number(json["usageUsd"]) > 0)
  })

  t.test("nothing takes the place of a sponsored transaction: it is the paymaster's", async (t) => {
    const id = await client.statusId(client.body({ ...sponsored, to: OTHER, value: "0" }))
    const asked = { organizationId, sendTransactionStatusId: id }
    const { status, json } = await system.query("get_send_replacement", asked, root)
    t.match(
      { status, json },
      { status: 400, json: { message: /a sponsored transaction is the paymaster's/ } },
    )
    await client.ended(id)
  })
})
