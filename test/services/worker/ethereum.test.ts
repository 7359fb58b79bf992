// The worker as a process, on a real database and a real chain (anvil). viem signs the transactions that it broadcasts.
import t, { type Test } from "tap"
import { type Anvil, startAnvil } from "../../harness/anvil.ts"
import { freshDatabase } from "../../harness/database.ts"
import { freePort } from "../../harness/free-port.ts"
import { isLong } from "../../harness/long.ts"
import { fundedAccount, GWEI, signedSend } from "./signed.ts"
import { hasEnded, senderInto, startWorker, until, untilState } from "./start-worker.ts"

const TO = "0x00000000000000000000000000000000000000aa"

async function start(t: Test, chain: Anvil, more: NodeJS.ProcessEnv = {}) {
  const database = await freshDatabase(t)
  const environment = {
    DATABASE_URL: database.url,
    COUNTERSIGN_CHAINS: `eip155:${chain.chainId}=${chain.url}`,
    ...more,
  }
  const worker = await startWorker(t, environment)
  return { ...database, chain, worker, environment, send: senderInto(t, database) }
}

/** A chain that mines each transaction at once, and its worker. */
const mining = await start(t, await startAnvil(t))

t.test("a transfer is broadcast and its inclusion is stored", async (t) => {
  const { chain, sql, send } = mining
  const transfer = await signedSend(chain, await fundedAccount(chain), { nonce: 0, to: TO, value: 5n })
  await send([transfer])
  t.match(await untilState(sql, transfer, hasEnded), { status: "INCLUDED", failure: undefined })
  t.equal(BigInt(await chain.call<string>("eth_getBalance", TO, "latest")), 5n)
})

t.test("a transaction that a node has already, or has mined already, is a success", async (t) => {
  const { chain, sql, send } = mining
  const account = await fundedAccount(chain)
  const transfer = await signedSend(chain, account, { nonce: 0, to: TO, value: 7n })
  await chain.call("eth_sendRawTransaction", `0x${Buffer.from(transfer.raw).toString("hex")}`)
  await send([transfer])
  t.match(await untilState(sql, transfer, hasEnded), { status: "INCLUDED", failure: undefined })
})

t.test("a transaction whose nonce another one has used fails, and says so", async (t) => {
  const { chain, sql, send } = mining
  const account = await fundedAccount(chain)
  const winner = await signedSend(chain, account, { nonce: 0, to: TO, value: 1n })
  const loser = await signedSend(chain, account, { nonce: 0, to: TO, value: 2n })
  await chain.call("eth_sendRawTransaction", `0x${Buffer.from(winner.raw).toString("hex")}`)
  const batch = await signedSend(chain, account, { nonce: 0, to: account.address, data: "0x5885bbcf" })
  // Both at once: the worker waits for most of half a minute before it gives a transaction up.
  await send([loser, { ...batch, gasStationNonce: 3n }])
  const { status, failure } = await untilState(sql, loser, hasEnded)
  t.equal(status, "FAILED")
  t.match(failure, { message: /another transaction of 0x[0-9a-f]{40} has used nonce 0/ })
  t.notMatch(failure, { message: /without this nonce/ })
  const ended = await untilState(sql, batch, hasEnded)
  t.match(ended, { status: "FAILED", failure: { message: /Its calls stay valid without this nonce until/ } })
})

t.test("a node's final refusal fails the transaction with the node's reason", async (t) => {
  const { chain, sql, send } = mining
  const poor = await fundedAccount(chain, 0n)
  const transfer = await signedSend(chain, poor, { nonce: 0, to: TO, value: 1n })
  await send([transfer])
  const { status, failure } = await untilState(sql, transfer, hasEnded)
  t.equal(status, "FAILED")
  t.match(failure, { message: /the node refused the transaction: .*insufficient/i })
})

t.test("a transaction waits for the nonces before its own, and says for which", async (t) => {
  const { chain, sql, send } = mining
  const account = await fundedAccount(chain)
  const [first, second] = [
    await signedSend(chain, account, { nonce: 0, to: TO, value: 1n }),
    await signedSend(chain, account, { nonce: 1, to: TO, value: 1n }),
  ]
  await send([second])
  const waiting = await untilState(sql, second, ({ failure }) => failure !== undefined)
  t.match(waiting, { status: "BROADCASTING", failure: { message: /before 1: the chain expects 0/ } })
  await send([first])
  t.equal((await untilState(sql, second, hasEnded)).status, "INCLUDED")
  t.equal((await untilState(sql, first, hasEnded)).status, "INCLUDED")
})

t.test("a transaction counts as included after the configured confirmations", async (t) => {
  const { chain } = mining
  const { sql, send } = await start(t, chain, { COUNTERSIGN_WORKER_CONFIRMATIONS: "3" })
  const transfer = await signedSend(chain, await fundedAccount(chain), { nonce: 0, to: TO, value: 5n })
  await send([transfer])
  await until(
    async () => (await chain.call("eth_getTransactionReceipt", transfer.hash)) !== null,
    () => "mined",
  )
  await chain.call("anvil_mine", "0x1")
  const state = await untilState(sql, transfer, ({ status }) => status !== "INITIALIZED")
  t.equal(state.status, "BROADCASTING")
  await chain.call("anvil_mine", "0x1")
  t.equal((await untilState(sql, transfer, hasEnded)).status, "INCLUDED")
})

t.test("the worker follows an included transaction through a reorganization", async (t) => {
  const { chain, sql, send } = mining
  const account = await fundedAccount(chain)
  const before = await chain.call<string>("evm_snapshot")
  const transfer = await signedSend(chain, account, { nonce: 0, to: TO, value: 5n })
  await send([transfer])
  const included = await untilState(sql, transfer, hasEnded)
  await chain.call("evm_revert", before)
  await chain.call("evm_increaseTime", 7)
  await chain.call("anvil_mine", "0x1")
  await until(
    async () => (await chain.call("eth_getTransactionReceipt", transfer.hash)) !== null,
    () => "included again",
  )
  const again = await untilState(
    sql,
    transfer,
    (state) => hasEnded(state) && state.broadcastMs > included.broadcastMs,
  )
  t.match(again, { status: "INCLUDED", failure: undefined })
})

/** Every run kills workers in test/e2e/send-kills.test.ts. */
const skip = isLong ? false : "long form: npm run test:long -- test/services/worker/ethereum.test.ts"

/** A chain that mines when a test says so, and its worker. */
const heldPort = await freePort()
const holding = async () => start(t, await startAnvil(t, { port: heldPort, words: ["--no-mining"] }))
let held: ReturnType<typeof holding> | undefined

t.test("kill -9 of the worker loses no transaction: the next one follows it", { skip }, async (test) => {
  const { chain, sql, send, worker, environment } = await (held ??= holding())
  const account = await fundedAccount(chain)
  const transfers = await Promise.all(
    [0, 1, 2].map((nonce) =>
      signedSend(chain, account, { nonce, to: TO, value: 1n, maxFeePerGas: 30n * GWEI }),
    ),
  )
  await send(transfers)
  await untilState(sql, transfers[0]!, ({ status }) => status === "BROADCASTING")
  process.kill(worker.pid, "SIGKILL")
  await chain.call("evm_setAutomine", true)
  await chain.call("anvil_mine", "0x1")
  await startWorker(t, environment)
  for (const transfer of transfers) test.equal((await untilState(sql, transfer, hasEnded)).status, "INCLUDED")
  test.equal(BigInt(await chain.call<string>("eth_getTransactionCount", account.address, "latest")), 3n)
})

t.test("a chain that forgot a stuck transaction gets the same bytes again", { skip }, async (t) => {
  const { chain: first, sql, send } = await (held ??= holding())
  await first.call("evm_setAutomine", false)
  const account = await fundedAccount(first)
  const transfer = await signedSend(first, account, { nonce: 0, to: TO, value: 3n })
  await send([transfer])
  await untilState(sql, transfer, ({ status }) => status === "BROADCASTING")
  await first.stop()
  // Another node without the transaction, at the same address.
  const second = await startAnvil(t, { port: heldPort })
  await second.call("anvil_setBalance", account.address, "0xde0b6b3a7640000")
  t.match(await untilState(sql, transfer, hasEnded), { status: "INCLUDED", failure: undefined })
  t.ok(await second.call("eth_getTransactionReceipt", transfer.hash))
})
