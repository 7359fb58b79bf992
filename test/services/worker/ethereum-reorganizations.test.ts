// Included transactions after a reorganization. A real database and a real chain (anvil) are used, which goes back to an
// earlier block and makes others, and a clock of the test. viem signs.
import t, { type Test } from "tap"
import { type Anvil, startAnvil } from "../../harness/anvil.ts"
import { poolState } from "../../../services/database/database.ts"
import { rpcFront } from "../../harness/rpc-front.ts"
import { followEthereum } from "./follow-ethereum.ts"
import { fundedAccount, signedSend } from "./signed.ts"
import { type StoredSend, stateOf, until } from "./start-worker.ts"

const TO = "0x00000000000000000000000000000000000000aa"
const LATER_MS = 30_000
const DAY_MS = 24 * 3600 * 1000
const CHAIN = "eip155:31337"

t.jobs = 4

/** A chain with a funded account, a follower, and the way back to the state before its transactions. */
async function start(t: Test, finality = "") {
  const chain = await startAnvil(t)
  const front = await rpcFront(t, chain)
  const account = await fundedAccount(chain)
  const followed = await followEthereum(t, chain, [front.url], finality)
  const before = await chain.call<string>("evm_snapshot")
  const transfer = (value: bigint, nonce = 0) => signedSend(chain, account, { nonce, to: TO, value })
  /** The blocks after the snapshot are gone, and so many others take their place. */
  const reorganize = async (blocks: number) => {
    await chain.call("evm_revert", before)
    await chain.call("evm_increaseTime", 7)
    if (blocks > 0) await chain.call("anvil_mine", `0x${blocks.toString(16)}`)
  }
  /** Polls until a block includes the transaction: anvil makes it after it has answered. */
  const pollUntilIncluded = async (send: StoredSend) => {
    let state = await followed.poll(send)
    await until(
      async () => (state = await followed.poll(send)).status === "INCLUDED",
      () => JSON.stringify(state),
    )
    return state
  }
  const included = async (send: StoredSend) => {
    await followed.store(send)
    return pollUntilIncluded(send)
  }
  const restsOn = async ({ id }: StoredSend) => {
    const [row] = await followed.sql<{ unsettled: boolean; hash: string | null }[]>`
      select unsettled, block_hash as hash from sends where id = ${id}`
    return row
  }
  return { ...followed, chain, front, transfer, reorganize, pollUntilIncluded, included, restsOn }
}

async function broadcast(chain: Anvil, { raw, hash }: StoredSend): Promise<void> {
  await chain.call("eth_sendRawTransaction", `0x${Buffer.from(raw).toString("hex")}`)
  await until(
    async () => (await chain.call("eth_getTransactionReceipt", hash)) !== null,
    () => "mined",
  )
}

const blockHashOf = async (chain: Anvil, { hash }: StoredSend) =>
  (await chain.call<{ blockHash: string }>("eth_getTransactionReceipt", hash)).blockHash

t.test("a chain with nothing to settle costs one statement a look", async (t) => {
  const { sql, follower } = await start(t)
  await follower.settle()
  const { asked } = poolState(sql)
  await follower.settle()
  t.equal(poolState(sql).asked - asked, 1)
})

t.test("a transaction whose block is gone waits, is broadcast again, and is included again", async (t) => {
  const { chain, pollUntilIncluded, settle, transfer, reorganize, included, restsOn, sql } = await start(t)
  const send = await transfer(5n)
  t.match(await included(send), { status: "INCLUDED", failure: undefined })
  t.match(await settle(send), { status: "INCLUDED" }, "its block stands")
  await reorganize(0)
  t.match(
    await settle(send),
    { status: "INCLUDED" },
    "a node without that block is behind and proves nothing",
  )
  await chain.call("anvil_mine", "0x1")
  const gone = await settle(send)
  t.match(gone, { status: "BROADCASTING", failure: { message: /reorganization .* broadcast again/ } })
  t.equal(await chain.call("eth_getTransactionByHash", send.hash), null)
  t.match(await pollUntilIncluded(send), { status: "INCLUDED", failure: undefined }, "the same bytes")
  t.match(await restsOn(send), { unsettled: true, hash: await blockHashOf(chain, send) })
  const nonces = await sql`select from sends where status in ('INITIALIZED', 'BROADCASTING')`
  t.equal(nonces.length, 0)
})

t.test("each change of status is an event of its own", async (t) => {
  const { sql, pollUntilIncluded, settle, transfer, reorganize, included } = await start(t)
  const send = await transfer(5n)
  await sql`
    insert into organizations (id, parent_id, name, version, deleted, document, created_ms)
    values (${send.organizationId}, null, 'o', 1, false, '\\x00', 1)`
  await sql`
    insert into webhook_targets (organization_id, endpoint_id, url, events)
    values (${send.organizationId}, ${send.id}, 'https://hooks.example', 2)`
  await included(send)
  await reorganize(1)
  await settle(send)
  await pollUntilIncluded(send)
  const events = await sql<{ status: string }[]>`
    select snapshot::json->>'status' as status from webhook_deliveries where subject_id = ${send.id} order by sequence`
  const statuses = events.map(({ status }) => status)
  t.same(statuses.slice(statuses.indexOf("INCLUDED")), ["INCLUDED", "BROADCASTING", "INCLUDED"])
})

t.test("a transaction that another block includes stays included, with that block", async (t) => {
  const { chain, settle, transfer, reorganize, included, restsOn } = await start(t)
  const send = await transfer(5n)
  await included(send)
  const first = await blockHashOf(chain, send)
  await reorganize(0)
  await broadcast(chain, send)
  const second = await blockHashOf(chain, send)
  t.not(second, first)
  t.match(await settle(send), { status: "INCLUDED", failure: undefined })
  t.match(await restsOn(send), { unsettled: true, hash: second })
})

t.test("after the chain's number of confirmations a transaction is no longer followed", async (t) => {
  const { chain, settle, transfer, reorganize, included, restsOn } = await start(t, `${CHAIN}=3`)
  const send = await transfer(5n)
  await included(send)
  await chain.call("anvil_mine", "0x1")
  await settle(send)
  t.match(await restsOn(send), { unsettled: true }, "two of three")
  await chain.call("anvil_mine", "0x1")
  await settle(send)
  t.match(await restsOn(send), { unsettled: false })
  await reorganize(3)
  t.match(await settle(send), { status: "INCLUDED" })
})

t.test("a chain of one confirmation is not followed at all", async (t) => {
  const { transfer, included, restsOn } = await start(t, `${CHAIN}=1`)
  const send = await transfer(5n)
  t.match(await included(send), { status: "INCLUDED" })
  t.match(await restsOn(send), { unsettled: false })
})

t.test("a block is asked for once, however many transactions it includes", async (t) => {
  const { chain, front, poll, store, settle, transfer } = await start(t)
  await chain.call("evm_setAutomine", false)
  const sends = await Promise.all(Array.from({ length: 20 }, (_, nonce) => transfer(1n, nonce)))
  for (const send of sends) {
    await store(send)
    await poll(send)
  }
  await chain.call("anvil_mine", "0x1")
  for (const send of sends) t.match(await poll(send), { status: "INCLUDED" })
  front.calls.length = 0
  await settle(sends[0]!)
  t.same(
    front.calls.map(({ method }) => method),
    ["eth_blockNumber", "eth_getBlockByNumber"],
  )
})

t.test(
  "a failure because of a used nonce is followed too, and its bytes are not broadcast again",
  async (t) => {
    const { chain, front, poll, store, settle, transfer, reorganize, restsOn } = await start(t, `${CHAIN}=4`)
    const [winner, loser] = [await transfer(1n), await transfer(2n)]
    await broadcast(chain, winner)
    await store(loser)
    await poll(loser)
    t.match(await poll(loser, LATER_MS), { status: "FAILED", failure: { message: /has used nonce 0/ } })
    await reorganize(2)
    front.calls.length = 0
    t.match(await settle(loser), { status: "FAILED" })
    t.notOk(front.calls.some(({ method }) => method === "eth_sendRawTransaction"))
    await broadcast(chain, loser)
    t.match(await settle(loser), { status: "INCLUDED", failure: undefined }, "its status is the chain's")
    await chain.call("anvil_mine", "0x5")
    await settle(loser)
    t.match(await restsOn(loser), { unsettled: false })
  },
)

t.test("nodes that do not answer, and chains that stand still, change no status", async (t) => {
  const { front, settle, sql, transfer, reorganize, included } = await start(t)
  const send = await transfer(5n)
  await included(send)
  await reorganize(1)
  front.on("*", () => Promise.resolve(undefined))
  t.match(await settle(send), { status: "INCLUDED" })
  front.calls.length = 0
  t.match(await settle(send, DAY_MS + LATER_MS), { status: "INCLUDED" })
  t.same(front.calls, [], "after a day it is no longer followed")
  t.match(await stateOf(sql, send), { status: "INCLUDED" })
})
