// Solana transactions as the worker follows them: a real database, litesvm, and a clock of the test. @solana/kit signs.
import { generateKeyPairSigner } from "@solana/kit"
import t, { type Test } from "tap"
import { finalitySetting } from "../../../services/chains/finality.ts"
import { createLogger } from "../../../services/common/logger.ts"
import { SolanaFollower } from "../../../services/worker/follow/solana.ts"
import { getSend } from "../../../services/worker/store/sends.ts"
import { reopenSends } from "../../../services/worker/store/unsettled-sends.ts"
import { freshDatabase } from "../../harness/database.ts"
import { SolanaChain } from "../../harness/solana-chain.ts"
import { fundedSigner, nonceAccount, signedTransfer, SOLANA, writeNonce } from "./signed-solana.ts"
import { stateOf, storeSends, type StoredSend } from "./start-worker.ts"

const REBROADCAST_MS = 2_000
const SIX_MINUTES_MS = 6 * 60_000

/** A follower that polls when the test says so. */
async function start(t: Test, finality = "") {
  const { sql } = await freshDatabase(t)
  const chain = await SolanaChain.start(t)
  let nowMs = Date.now()
  const follower = new SolanaFollower({
    sql,
    log: createLogger("test", "silent"),
    chain: { caip2: SOLANA, namespace: "solana", reference: "local", urls: [chain.url] },
    confirmations: 1,
    finality: finalitySetting(finality),
    now: () => nowMs,
  })
  const poll = async ({ organizationId, id }: StoredSend, afterMs = 0) => {
    nowMs += afterMs
    const send = await getSend(sql, organizationId, id)
    if (send === undefined) throw new Error("the transaction is not stored")
    await follower.poll(send)
    return stateOf(sql, { id })
  }
  const store = async (send: StoredSend) => {
    await sql.begin((tx) => storeSends(tx, [send]))
    return send
  }
  /** As the worker does it, without its queue. */
  const settle = async (send: StoredSend) => {
    const gone = await follower.settle()
    if (gone.length > 0) await reopenSends(sql, gone)
    return stateOf(sql, send)
  }
  const isUnsettled = async ({ id }: StoredSend) => {
    const [row] = await sql<{ unsettled: boolean }[]>`select unsettled from sends where id = ${id}`
    return row?.unsettled
  }
  const { address: to } = await generateKeyPairSigner()
  chain.fund(to, 1_000_000n)
  return {
    chain,
    poll,
    settle,
    isUnsettled,
    store,
    to,
    payer: (lamports?: bigint) => fundedSigner(chain, lamports),
  }
}

t.test("a Solana transaction", async (t) => {
  const { chain, poll, settle, isUnsettled, store, to, payer } = await start(t)
  t.afterEach(() => {
    chain.commitment = "confirmed"
    chain.preflight = true
    chain.before = () => undefined
    chain.dropped.clear()
  })
  const received = ({ raw }: StoredSend) =>
    chain.received.filter((one) => one === Buffer.from(raw).toString("base64")).length

  t.test("is included once its block is confirmed", async (t) => {
    const send = await store(await signedTransfer(chain, await payer(), { to }))
    const before = chain.balance(to)
    chain.commitment = "processed"
    t.match(await poll(send), { status: "BROADCASTING", failure: undefined })
    t.match(await poll(send), { status: "BROADCASTING" }, "a processed block may be dropped")
    chain.commitment = "confirmed"
    t.match(await poll(send), { status: "INCLUDED", failure: undefined })
    t.equal(chain.balance(to) - before, 1_000_000n)
  })

  t.test("is handed in again, with the same bytes, while no node knows it", async (t) => {
    const from = await payer()
    const send = await store(await signedTransfer(chain, from, { to }))
    const sent = () => [received(send), chain.received.length - others] as const
    const others = chain.received.length
    chain.dropped.add(from.address)
    await poll(send)
    await poll(send, REBROADCAST_MS - 1)
    t.same(sent(), [1, 1], "not yet again")
    await poll(send, 1)
    t.same(sent(), [2, 2])
    chain.dropped.clear()
    await poll(send, REBROADCAST_MS)
    t.match(await poll(send), { status: "INCLUDED" })
    t.same(sent(), [3, 3])
  })

  t.test("that a node refuses before any has taken it fails, with what the node says", async (t) => {
    const send = await store(await signedTransfer(chain, await payer(), { to, lamports: 10n ** 18n }))
    const { status, failure } = await poll(send)
    t.equal(status, "FAILED")
    t.match(failure, {
      message: /the node refused the transaction: .*custom program error: 0x1/,
      solana: {
        source: "preflight",
        rpcCode: -32_002,
        rpcMessage: /simulation failed/,
        transactionErrorJson: '{"InstructionError":[0,{"Custom":1}]}',
        logs: [/invoke/],
        unitsConsumed: /^\d+$/,
      },
    })
  })

  t.test("that a node refuses after one has taken it does not fail: the bytes are still valid", async (t) => {
    const from = await payer(4_000_000n)
    const send = await store(await signedTransfer(chain, from, { to }))
    chain.dropped.add(from.address)
    await poll(send)
    // Another transaction spends what this one pays.
    const other = await store(await signedTransfer(chain, from, { to, lamports: 3_000_000n }))
    chain.dropped.clear()
    await poll(other)
    t.match(await poll(other), { status: "INCLUDED" })
    const refused = await poll(send, REBROADCAST_MS)
    t.match(refused, { status: "BROADCASTING", failure: { message: /the node refused the transaction/ } })
    chain.fund(from.address, 5_000_000n)
    await poll(send, REBROADCAST_MS)
    t.match(await poll(send), { status: "INCLUDED", failure: undefined })
  })

  t.test("whose broadcast got no answer is not failed by a later refusal", async (t) => {
    const from = await payer()
    const send = await store(await signedTransfer(chain, from, { to, lamports: 10n ** 18n }))
    chain.before = (method) => {
      if (method === "sendTransaction") void chain.stop()
    }
    t.match(await poll(send), { status: "INITIALIZED", failure: { message: /no node of the chain serves/ } })
    chain.before = () => undefined
    await chain.start()
    const { status, failure } = await poll(send, REBROADCAST_MS)
    t.equal(status, "INITIALIZED")
    t.match(failure, { message: /the node refused the transaction/ })
  })

  t.test("fails when its block hash has expired, and not before", async (t) => {
    const from = await payer()
    const send = await store(
      await signedTransfer(chain, from, { to, lastValidBlockHeight: chain.lastValidBlockHeight }),
    )
    chain.dropped.add(from.address)
    await poll(send)
    chain.produce(150)
    t.match(await poll(send, SIX_MINUTES_MS), { status: "BROADCASTING" }, "blocks count, not minutes")
    chain.produce(1)
    chain.svm.expireBlockhash()
    const { status, failure } = await poll(send)
    t.equal(status, "FAILED")
    t.match(failure, { message: /block hash or nonce has expired/, solana: { source: "expiry" } })
  })

  t.test("that is included while its expiry is read does not fail", async (t) => {
    const from = await payer()
    const send = await store(await signedTransfer(chain, from, { to, lastValidBlockHeight: 1n }))
    chain.before = (method) => {
      if (method === "getBlockHeight") chain.include(Buffer.from(send.raw).toString("base64"))
    }
    t.match(await poll(send), { status: "INCLUDED" })
  })

  t.test("whose author named the block hash lives as long as nodes take that hash", async (t) => {
    const from = await payer()
    const send = await store(await signedTransfer(chain, from, { to }))
    chain.dropped.add(from.address)
    await poll(send)
    t.match(await poll(send, SIX_MINUTES_MS), { status: "BROADCASTING" }, "the chain stands still")
    chain.produce(151)
    t.match(await poll(send), { status: "FAILED", failure: { message: /has expired/ } })
  })

  t.test("with a durable nonce lives as long as the account holds that nonce", async (t) => {
    const from = await payer()
    const durable = await nonceAccount(chain, from.address)
    const send = await store(await signedTransfer(chain, from, { to, durable }))
    chain.dropped.add(from.address)
    await poll(send)
    chain.produce(1_000)
    t.match(await poll(send, SIX_MINUTES_MS), { status: "BROADCASTING" })
    const nonce = chain.svm.latestBlockhash()
    writeNonce(chain, { ...durable, nonce }, from.address)
    t.match(await poll(send), { status: "FAILED", failure: { message: /nonce has expired/ } })
  })

  t.test("that is included and fails says why", async (t) => {
    const send = await store(await signedTransfer(chain, await payer(), { to, lamports: 10n ** 18n }))
    chain.preflight = false
    await poll(send)
    const { status, failure } = await poll(send)
    t.equal(status, "INCLUDED")
    t.match(failure, {
      message: /was included and failed/,
      solana: { source: "chain", transactionErrorJson: '{"InstructionError":[0,{"Custom":1}]}' },
    })
  })

  t.test("waits where the node is behind the one that gave the block hash", async (t) => {
    const from = await payer()
    const send = await store(await signedTransfer(chain, from, { to, lastValidBlockHeight: 10n ** 9n }))
    chain.svm.expireBlockhash()
    t.match(await poll(send), { status: "INITIALIZED", failure: { message: /Blockhash not found/ } })
  })

  t.test("is followed until its slot is final, and is handed in again if it vanishes before", async (t) => {
    const send = await store(await signedTransfer(chain, await payer(), { to }))
    await poll(send)
    t.match(await poll(send), { status: "INCLUDED" })
    t.match(await settle(send), { status: "INCLUDED" }, "the slot is not final yet")
    chain.vanish(send.hash)
    t.match(await settle(send), { status: "INCLUDED" }, "the chain's final slot is before it")
    chain.finalizeAll()
    const gone = await settle(send)
    t.match(gone, { status: "BROADCASTING", failure: { message: /reorganization/ } })
    const before = received(send)
    await poll(send)
    t.equal(received(send), before + 1, "the same bytes")
  })

  t.test("that is final is no longer followed", async (t) => {
    const send = await store(await signedTransfer(chain, await payer(), { to }))
    await poll(send)
    await poll(send)
    t.equal(await isUnsettled(send), true)
    chain.commitment = "finalized"
    await settle(send)
    t.equal(await isUnsettled(send), false)
    chain.vanish(send.hash)
    chain.finalizeAll()
    t.match(await settle(send), { status: "INCLUDED" })
  })
})

t.test("the operator may trust confirmed slots of Solana", async (t) => {
  const { chain, poll, isUnsettled, store, to, payer } = await start(t, `${SOLANA}=confirmed`)
  const send = await store(await signedTransfer(chain, await payer(), { to }))
  await poll(send)
  t.match(await poll(send), { status: "INCLUDED" })
  t.equal(await isUnsettled(send), false)
})
