// Replies of sends through the whole system: signer, API and worker as processes, on a real chain (anvil).
import { join } from "node:path"
import t from "tap"
import { encodeFunctionData, formatEther, getAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { readApiKey } from "../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../services/terminal-client/key-folder.ts"
import { startAnvil } from "../harness/anvil.ts"
import { deploy, readContract } from "../harness/contracts.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { privateKeyHex } from "../harness/system.ts"
import { transfers } from "../harness/velocity.ts"
import { commandLine } from "../services/cli/command-line.ts"
import { startSending } from "./sending.ts"
import { requireAnswered } from "./replies/asked-by.ts"

const { abi, ...code } = readContract("Reverts")

const TO = "0x00000000000000000000000000000000000000aa"
const NIL = "00000000-0000-4000-8000-000000000000"

t.test("sends, over HTTP:", async (t) => {
  const chain = await startAnvil(t)
  const { system, acme, client, sql } = await startSending(t, { chain })
  const { caip2 } = client
  const { organizationId, root } = acme
  const api = new DocumentedApi(system, acme)
  const { submit, ask, query } = api
  const from = await client.account()
  const send = (parameters: object) => client.body({ from, to: TO, ...parameters })

  t.test(
    "a transfer without nonce, gas and fees is signed, mined, and its status has the published shape",
    async (t) => {
      const id = await client.statusId(send({ value: "5" }))
      const { eth, ...status } = await client.ended(id)
      t.same(status, { txStatus: "INCLUDED" })
      t.same(await query("get_send_transaction_status", { sendTransactionStatusId: id }), { eth, ...status })
      const { txHash } = eth as { txHash: string }
      t.match(await chain.call("eth_getTransactionReceipt", txHash), {
        status: "0x1",
        from: from.toLowerCase(),
      })
      t.equal(BigInt(await chain.call<string>("eth_getBalance", TO, "latest")), 5n)
    },
  )

  t.test("get_nonces has the chain's nonces, and the delegate's", async (t) => {
    const asked = { address: from, caip2, nonce: true, gasStationNonce: true }
    t.same(await query("get_nonces", asked), { nonce: "1", gasStationNonce: "0" })
    const slot = "0x34d5be385818fa5c8c4e7f9d5a028251d28ebab8aaf203a072d1dde2d49a1100"
    await chain.call("anvil_setStorageAt", from, slot, `0x${"ff".repeat(16)}${"7".padStart(32, "0")}`)
    t.same(await query("get_nonces", { ...asked, nonce: false }), { gasStationNonce: "7" })
  })

  t.test(
    "C-1820: balances are those of the chain, of its currency and of the tokens that controls list",
    async (t) => {
      const [, reference = ""] = caip2.split(":")
      const native = { caip19: `${caip2}/slip44:60`, decimals: 18 }
      t.match(await query("list_supported_assets", { caip2 }), { assets: [native] })
      // A contract that answers every call with 250, and one that reverts every call.
      const [token, broken] = [`0x${"7a".repeat(20)}`, `0x${"7b".repeat(20)}`]
      await chain.call("anvil_setCode", token, "0x60fa60005260206000f3")
      await chain.call("anvil_setCode", broken, "0x60006000fd")
      const tokens = [token, broken].map((one) => `eip155:${reference}/erc20:${one}`)
      const elsewhere = `eip155:5/erc20:${token}`
      const listed = [...tokens, elsewhere].map((caip19) => ({ caip19, decimals: "2" }))
      const { velocityControlId } = await submit("CREATE_VELOCITY_CONTROL", transfers(listed))
      const { assets } = await query("list_supported_assets", { caip2 })
      t.match(assets, [native, ...tokens.map((caip19) => ({ caip19, decimals: 2 }))])
      t.equal((assets as unknown[]).length, 3)
      const { balances } = await query("get_wallet_address_balances", { address: from.toLowerCase(), caip2 })
      const wei = BigInt(await chain.call<string>("eth_getBalance", from, "latest"))
      t.match(balances, [
        { ...native, balance: String(wei), display: { crypto: formatEther(wei) } },
        { caip19: tokens[0], decimals: 2, balance: "250", display: { crypto: "2.5" } },
      ])
      t.equal((balances as unknown[]).length, 2, "a contract without balances is left out")
      for (const [members, status] of [
        [{ address: TO, caip2 }, 404],
        [{ address: from, caip2: "eip155:5" }, 400],
        [{ address: from, caip2: "solana:devnet" }, 400],
      ] as const)
        t.equal((await ask("get_wallet_address_balances", members)).status, status, JSON.stringify(members))
      t.equal((await ask("list_supported_assets", { caip2: "eip155:5" })).status, 400)
      await submit("DELETE_VELOCITY_CONTROL", { velocityControlId })
    },
  )

  t.test("get_send_estimate has the gas and fees of a send, or why it would fail", async (t) => {
    const asked = { from, caip2, to: TO, value: "5" }
    const { gasLimit, maxFeePerGas, maxPriorityFeePerGas } = await query("get_send_estimate", asked)
    t.equal(gasLimit, "25200", "a transfer of 21,000 and a margin")
    t.ok(BigInt(String(maxFeePerGas)) >= BigInt(String(maxPriorityFeePerGas)))
    const id = await client.statusId(send({ value: "5", gasLimit, maxFeePerGas, maxPriorityFeePerGas }))
    t.match(await client.ended(id), { txStatus: "INCLUDED" }, "a body that names them is mined")
    const faults = [
      [{ to: "0x12" }, "REQUEST_INVALID"],
      [{ from: "0x12" }, "REQUEST_INVALID"],
      [
        {
          to: await deploy(chain, { abi, ...code }),
          data: encodeFunctionData({ abi, functionName: "withText" }),
        },
        "TRANSACTION_REVERTS",
      ],
      [{ caip2: "eip155:5" }, "CHAIN_NOT_CONFIGURED"],
    ] as const
    for (const [members, reason] of faults) {
      const { status, json } = await ask("get_send_estimate", { ...asked, ...members })
      t.equal(status, 400, reason)
      t.ok(JSON.stringify(json).includes(`"${reason}"`), JSON.stringify(json))
    }
  })

  t.test("get_gas_usage has the limits that upsert_gas_usage_config set", async (t) => {
    t.same(await query("get_gas_usage"), {
      windowDurationMinutes: 0,
      windowLimitUsd: "0",
      usageUsd: "0",
    })
    const limits = { orgWindowLimitUsd: "12.5", subOrgWindowLimitUsd: "3", windowDurationMinutes: "60" }
    await submit("UPSERT_GAS_USAGE_CONFIG", limits)
    t.same(await query("get_gas_usage"), { windowDurationMinutes: 60, windowLimitUsd: "12.5", usageUsd: "0" })
  })

  t.test("a status id that is unknown, or another organization's, answers 404", async (t) => {
    const id = await client.statusId(send({ value: "1" }))
    await client.ended(id)
    const other = await system.createOrganization("Other")
    for (const [asker, sendTransactionStatusId] of [
      [acme, NIL],
      [other, id],
    ] as const) {
      const asked = { organizationId: asker.organizationId, sendTransactionStatusId }
      const { status, json } = await system.query("get_send_transaction_status", asked, asker.root)
      t.match(
        { status, json },
        { status: 404, json: { code: 5, message: /unable to find send transaction status/ } },
      )
    }
  })

  /** Outcome of a draft policy with this condition for a send that is not sent. */
  const simulated = async (parameters: object, condition: string) => {
    const activity = {
      type: "ACTIVITY_TYPE_ETH_SEND_TRANSACTION",
      parameters: { from, caip2, to: TO, ...parameters },
    }
    const draftPolicies = [{ policyName: "Draft", effect: "EFFECT_ALLOW", condition }]
    const { status, json } = await ask("simulate_policies", { activity, draftPolicies, onlyDrafts: true })
    return status === 200 ? (json["policies"] as { outcome: string }[])[0]?.outcome : json
  }

  t.test("a simulated send has the values that the chain would give it now", async (t) => {
    const nonce = BigInt(await chain.call<string>("eth_getTransactionCount", from, "pending"))
    const filled = `eth.tx.nonce == ${nonce} && eth.tx.gas > 21000 && eth.tx.max_fee_per_gas > 0`
    const call = `eth.tx.to == '${TO}' && eth.tx.value == 5 && eth.tx.from == '${from}'`
    t.equal(await simulated({ value: "5" }, `${filled} && ${call}`), "OUTCOME_ALLOW")
    t.equal(await simulated({ value: "6" }, `${filled} && ${call}`), "OUTCOME_DENY_IMPLICIT")
    const own = { value: "5", nonce: "40", gasLimit: "21001" }
    t.equal(await simulated(own, "eth.tx.nonce == 40 && eth.tx.gas == 21001"), "OUTCOME_ALLOW")
    const elsewhere = { value: "5", caip2: "eip155:1" }
    t.match(await simulated(elsewhere, call), { code: 3, message: /COUNTERSIGN_CHAINS/ })
    t.equal(await simulated(elsewhere, "activity.resource == 'PRIVATE_KEY'"), "OUTCOME_ALLOW", "not read")
  })

  t.test(
    "a call that reverts before it is signed costs nothing, and one that reverts on the chain says why",
    async (t) => {
      const contract = await deploy(chain, { abi, ...code })
      const closed = encodeFunctionData({ abi, functionName: "withText" })
      const refused = await client.post(send({ to: contract, data: closed }))
      t.match(refused, { status: 400, json: { code: 9, message: /was not signed: reverted: not today/ } })
      const before = await chain.call("eth_getTransactionCount", from, "pending")
      // With every value named, nothing is estimated: the transaction is mined and reverts.
      const fees = { gasLimit: "200000", maxFeePerGas: "20000000000", maxPriorityFeePerGas: "1000000000" }
      const data = encodeFunctionData({ abi, functionName: "withError", args: [9n] })
      await submit("CREATE_SMART_CONTRACT_INTERFACE", {
        smartContractAddress: contract,
        smartContractInterface: JSON.stringify(abi),
        type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
        label: "Reverts",
        notes: "",
      })
      const simulation = simulated({ to: contract, data, ...fees }, "eth.tx.function_name == 'withError'")
      t.equal(await simulation, "OUTCOME_ALLOW", "read with the contract's interface")
      const id = await client.statusId(send({ to: contract, data, ...fees }))
      const { txStatus, error, eth } = await client.ended(id)
      t.equal(txStatus, "INCLUDED")
      t.ok((eth as { txHash: string }).txHash)
      const entry = {
        address: contract,
        errorType: "custom",
        custom: { errorName: "LimitExceeded", paramsJson: /"wanted":"9","allowed":"7"/ },
      }
      t.match(error, { revertChain: [entry], eth: { revertChain: [entry] } })
      t.equal(Number(await chain.call("eth_getTransactionCount", from, "pending")), Number(before) + 1)
    },
  )

  t.test("a chain that is not configured is refused before anything is signed", async (t) => {
    for (const more of [
      {},
      { nonce: "0", gasLimit: "21000", maxFeePerGas: "1", maxPriorityFeePerGas: "1" },
    ]) {
      const { status, json } = await client.post(send({ ...more, caip2: "eip155:1" }))
      t.match({ status, json }, { status: 400, json: { code: 3, message: /COUNTERSIGN_CHAINS/ } })
    }
  })

  t.test("a transaction that was signed elsewhere is broadcast and followed by its activity", async (t) => {
    const account = privateKeyToAccount(`0x${"42".repeat(32)}`)
    await client.fund(account.address)
    const before = await client.balance(TO)
    const signedTransaction = await account.signTransaction({
      type: "eip1559",
      chainId: chain.chainId,
      nonce: 0,
      gas: 21_000n,
      to: TO,
      value: 17n,
      maxFeePerGas: 20_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
    })
    const body = system.body("ETH_SEND_RAW_TRANSACTION", organizationId, { caip2, signedTransaction })
    const activity = await system.submit("eth_send_raw_transaction", body, root)
    const { ethSendRawTransactionResult } = activity["result"] as {
      ethSendRawTransactionResult: { transactionHash: string }
    }
    const { transactionHash } = ethSendRawTransactionResult
    t.match(await client.ended(String(activity["id"])), {
      txStatus: "INCLUDED",
      eth: { txHash: transactionHash },
    })
    t.match(await chain.call("eth_getTransactionReceipt", transactionHash), {
      status: "0x1",
      from: account.address.toLowerCase(),
    })
    t.equal((await client.balance(TO)) - before, 17n)
    const [row] = await sql<{ raw: Uint8Array }[]>`select raw from sends where hash = ${transactionHash}`
    t.equal(Buffer.from(row!.raw).toString("hex"), signedTransaction.slice(2), "the bytes as they came")
    // The node has mined it: the same bytes again are a success, and no second transaction.
    const second = system.body("ETH_SEND_RAW_TRANSACTION", organizationId, { signedTransaction, caip2 })
    const again = await system.submit("eth_send_raw_transaction", second, root)
    t.not(again["id"], activity["id"])
    t.match(await client.ended(String(again["id"])), { txStatus: "INCLUDED" })
    t.equal((await client.balance(TO)) - before, 17n)
  })

  t.test("a waiting transaction is replaced by one with higher fees, or cancelled", async (t) => {
    const from = await client.account()
    await chain.call("evm_setAutomine", false)
    t.teardown(() => chain.call("evm_setAutomine", true))
    const inPlaceOf = async (id: string, fees: object = {}, gasLimit = "gasLimit") => {
      const asked = { sendTransactionStatusId: id }
      const waiting = (await query("get_send_replacement", asked)) as { [member: string]: string }
      const { nonce, signedTransaction, maxFeePerGas, maxPriorityFeePerGas } = waiting
      const named = { nonce, signedTransaction, maxFeePerGas, maxPriorityFeePerGas, ...fees }
      return { waiting, parameters: { from: waiting["from"], caip2, gasLimit: waiting[gasLimit], ...named } }
    }
    const placed = async (type: string, parameters: object) =>
      String((await submit(type, parameters))["sendTransactionStatusId"])
    const sent = (value: string) => client.statusId(client.body({ from, to: TO, value }))
    const waits = (id: string) => client.reached(id, ({ txStatus }) => txStatus === "BROADCASTING")
    const [first, second] = [await sent("21"), await sent("22")]
    await waits(first)
    await waits(second)
    const { waiting, parameters } = await inPlaceOf(first)
    t.match(waiting, { txStatus: "BROADCASTING", from, caip2, nonce: "0" })
    const replacement = await placed("ETH_REPLACE_TRANSACTION", parameters)
    const cancellation = await placed(
      "ETH_CANCEL_TRANSACTION",
      (await inPlaceOf(second, {}, "cancelGasLimit")).parameters,
    )
    await waits(replacement)
    await waits(cancellation)
    const beside = await client.reached(first, ({ sameNonce }) => sameNonce !== undefined)
    t.match(beside, {
      txStatus: "BROADCASTING",
      txError: /was sent in its place, with the same nonce 0, and waits/,
      sameNonce: {
        sendTransactionStatusId: replacement,
        activityType: "ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION",
        txStatus: "BROADCASTING",
      },
    })
    const outbids = BigInt((await inPlaceOf(first)).waiting["leastMaxFeePerGas"] ?? "")
    t.ok(
      outbids > BigInt(String(parameters["maxFeePerGas"])),
      "a second replacement has to outbid the first, not the original",
    )
    const before = await client.balance(TO)
    await chain.call("anvil_mine", "0x1")
    t.match(await client.ended(replacement), { txStatus: "INCLUDED" })
    t.match(await client.ended(cancellation), { txStatus: "INCLUDED" })
    t.equal((await client.balance(TO)) - before, 21n, "the one is paid once, the other not at all")
    const replaced = await client.ended(first)
    t.match(replaced, {
      txStatus: "FAILED",
      error: { message: /it was replaced: transaction 0x[0-9a-f]{64}/ },
      sameNonce: { sendTransactionStatusId: replacement, txStatus: "INCLUDED" },
    })
    t.match(await client.ended(second), { txStatus: "FAILED", error: { message: /it was cancelled/ } })
    const late = await api.send("ETH_REPLACE_TRANSACTION", { ...parameters, maxFeePerGas: "1" })
    t.match(late, { status: 400, json: { message: /maxFeePerGas 1 is too low to replace/ } })
  })

  t.test("countersign send pays, and ends when the payment is mined", async (t) => {
    const from = await client.account()
    const COUNTERSIGN_DATA_DIR = t.testdir()
    const folder = join(COUNTERSIGN_DATA_DIR, "keys")
    await writeKey(folder, "root", readApiKey(privateKeyHex(root))!)
    await bindKey(folder, "root", organizationId)
    const before = await client.balance(TO)
    const words = ["send", "--chain", caip2, "--from", from, "--to", TO, "--value", "19", "--yes"]
    const ended = await commandLine({ COUNTERSIGN_DATA_DIR }, ...words, "--api", system.url)
    const line = `Send 0.000000000000000019 of the chain's currency (19 wei) to ${getAddress(TO)} on ${caip2}, from `
    t.match(ended, { status: 0 })
    t.ok(ended.log.includes(line), ended.log)
    const { txStatus, eth } = JSON.parse(ended.out) as { txStatus: string; eth: { txHash: string } }
    t.equal(txStatus, "INCLUDED")
    t.match(await chain.call("eth_getTransactionReceipt", eth.txHash), { status: "0x1" })
    t.equal((await client.balance(TO)) - before, 19n)
  })

  requireAnswered(t, api, "send")
})
