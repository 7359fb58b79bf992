// Broadcasts of which a node may have the bytes. A real database and a real chain (anvil) are used, with nodes in front of it
// that lose answers, and a clock of the test. viem signs.
import t, { type Test } from "tap"
import { startAnvil } from "../../harness/anvil.ts"
import { freePort } from "../../harness/free-port.ts"
import { type RpcCall, type RpcFront, rpcFront } from "../../harness/rpc-front.ts"
import { followEthereum } from "./follow-ethereum.ts"
import { fundedAccount, signedSend } from "./signed.ts"
import { stateOf } from "./start-worker.ts"

const TO = "0x00000000000000000000000000000000000000aa"
const LATER_MS = 30_000
const SEND = "eth_sendRawTransaction"

/** The chain has the bytes, and nobody hears of it. */
const loseAnswers = (front: RpcFront) =>
  front.on(SEND, async (_, pass) => {
    await pass()
    return undefined
  })

const refuse = (front: RpcFront, method = SEND) =>
  front.on(method, ({ id }: RpcCall) => {
    const error = { code: -32_000, message: "insufficient funds for gas * price + value" }
    return Promise.resolve({ status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, error }) })
  })

const forget = (front: RpcFront) =>
  front.on("eth_getTransactionByHash", ({ id }) =>
    Promise.resolve({ status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, result: null }) }),
  )

const WAITS = { failure: { message: /the node refused the transaction: insufficient funds/ } }

async function start(t: Test, words: string[] = ["--no-mining"]) {
  const chain = await startAnvil(t, { words })
  const front = await rpcFront(t, chain)
  const transfer = await signedSend(chain, await fundedAccount(chain), { nonce: 0, to: TO, value: 1n })
  const included = async () => {
    front.clear()
    await chain.call("anvil_mine", "0x1")
  }
  return { chain, front, transfer, included }
}

t.test(
  "a transaction that a node took is not failed by another node's refusal behind the same address",
  async (t) => {
    const { chain, front, transfer, included } = await start(t)
    const { poll, store } = await followEthereum(t, chain, [front.url])
    await store(transfer)
    t.match(await poll(transfer), { status: "BROADCASTING", failure: undefined })
    refuse(front)
    forget(front)
    const refused = await poll(transfer, LATER_MS)
    t.equal(refused.status, "BROADCASTING")
    t.match(refused, WAITS)
    await included()
    t.match(await poll(transfer, LATER_MS), { status: "INCLUDED", failure: undefined })
  },
)

t.test("a transaction whose broadcast got no answer is not failed by a later refusal", async (t) => {
  const { chain, front, transfer, included } = await start(t)
  const { poll, store } = await followEthereum(t, chain, [front.url])
  await store(transfer)
  loseAnswers(front)
  t.equal((await poll(transfer)).status, "INITIALIZED")
  refuse(front)
  forget(front)
  const refused = await poll(transfer, LATER_MS)
  t.equal(refused.status, "INITIALIZED")
  t.match(refused, WAITS)
  await included()
  t.match(await poll(transfer, LATER_MS), { status: "INCLUDED", failure: undefined })
})

t.test("a refusal of the second node fails nothing while the first may have the bytes", async (t) => {
  const { chain, front, transfer, included } = await start(t)
  const second = await rpcFront(t, chain)
  const { poll, store } = await followEthereum(t, chain, [front.url, second.url])
  await store(transfer)
  loseAnswers(front)
  refuse(second)
  const refused = await poll(transfer)
  t.equal(refused.status, "INITIALIZED")
  t.match(refused, WAITS)
  await included()
  t.match(await poll(transfer, LATER_MS), { status: "INCLUDED", failure: undefined })
})

t.test(
  "a worker that ends between broadcast and answer leaves a transaction that no refusal fails",
  async (t) => {
    const { chain, front, transfer, included } = await start(t)
    const { sql, poll, store } = await followEthereum(t, chain, [front.url])
    await store(transfer)
    let broadcastMs = 0
    front.on(SEND, async (_, pass) => {
      broadcastMs = (await stateOf(sql, transfer)).broadcastMs
      return pass()
    })
    await poll(transfer)
    t.ok(broadcastMs > 0, "the attempt is stored before a node has the bytes")
    await included()
    t.match(await poll(transfer, LATER_MS), { status: "INCLUDED" })
  },
)

t.test("a refusal fails a transaction that no node can have: none read the call before", async (t) => {
  const { chain, front, transfer } = await start(t)
  const down = `http://127.0.0.1:${await freePort()}`
  const { poll, store } = await followEthereum(t, chain, [down, front.url])
  await store(transfer)
  front.on(SEND, () => Promise.resolve({ status: 429, body: "" }))
  const unread = await poll(transfer)
  t.match(unread, { status: "INITIALIZED", broadcastMs: 0, failure: { message: /HTTP 429/ } })
  refuse(front)
  const { status, failure } = await poll(transfer, LATER_MS)
  t.equal(status, "FAILED")
  t.match({ failure }, WAITS)
})

t.test("a transaction that may be anywhere fails once another one has used its nonce", async (t) => {
  const chain = await startAnvil(t)
  const front = await rpcFront(t, chain)
  const account = await fundedAccount(chain)
  const [loser, winner] = [
    await signedSend(chain, account, { nonce: 0, to: TO, value: 1n }),
    await signedSend(chain, account, { nonce: 0, to: TO, value: 2n }),
  ]
  const { poll, store } = await followEthereum(t, chain, [front.url])
  await store(loser)
  front.on(SEND, () => Promise.resolve(undefined))
  t.equal((await poll(loser)).status, "INITIALIZED")
  refuse(front)
  await chain.call(SEND, `0x${Buffer.from(winner.raw).toString("hex")}`)
  t.equal((await poll(loser, LATER_MS)).status, "INITIALIZED")
  t.match(await poll(loser, LATER_MS), { status: "FAILED", failure: { message: /has used nonce 0/ } })
})
