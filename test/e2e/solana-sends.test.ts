// Sends of Solana through the whole system: signer, API and worker as processes, on litesvm behind a node's JSON-RPC.
import { base58 } from "@scure/base"
import t, { type Test } from "tap"
import { userParams } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { isLong } from "../harness/long.ts"
import { SolanaChain } from "../harness/solana-chain.ts"
import { newKey } from "../harness/stamper.ts"
import { System } from "../harness/system.ts"
import { solanaTransfer } from "../harness/transactions.ts"
import { startWorker, until } from "../services/worker/start-worker.ts"
import { SendingClient } from "./sends.ts"
import { solanaAccounts } from "./wallets.ts"

/** Tests that run while others wait for the chain. */
const BESIDE = { buffered: true }
const CAIP2 = "solana:local"
const SOL = 1_000_000_000n
/** Block hash of 32 zero bytes: left to the service. */
const LEFT_OPEN = new Uint8Array(32)
const TO = base58.encode(new Uint8Array(32).fill(7))

async function start(t: Test, chain: SolanaChain) {
  const { url } = await freshDatabase(t)
  const environment = { COUNTERSIGN_CHAINS: `${CAIP2}=${chain.url}` }
  const system = await System.start(url, environment)
  t.teardown(() => system.stop())
  await startWorker(t, { ...environment, DATABASE_URL: url })
  const acme = await system.createOrganization()
  const addresses = await solanaAccounts(system, acme, 9)
  for (const address of [...addresses, TO]) chain.fund(address, SOL)
  const sends = new SendingClient(system, acme, "sol_send_transaction")
  return { system, acme, addresses, sends }
}

t.test("sends of Solana, over HTTP:", async (t) => {
  const chain = await SolanaChain.start(t)
  const { system, acme, addresses, sends } = await start(t, chain)
  const [payer = "", second = "", poor = "", fresh = "", ...others] = addresses
  /** A transfer whose block hash is left open. */
  const transfer = (signWith: string, lamports: bigint, more: object = {}) => {
    const { bytes } = solanaTransfer({ signers: [signWith], to: TO, lamports, blockhash: LEFT_OPEN })
    const unsignedTransaction = Buffer.from(bytes).toString("hex")
    return sends.body({ unsignedTransaction, signWith, caip2: CAIP2, ...more })
  }
  /** Transactions of an account that reached the node, and how many different ones. */
  const ofAccount = (account: string) => {
    const key = Buffer.from(base58.decode(account))
    return chain.received.filter((raw) => Buffer.from(raw, "base64").includes(key))
  }
  const handedIn = (account: string) => new Set(ofAccount(account)).size

  // Begun first, because time has to pass: nodes take these two, and no leader includes them.
  const [late = "", never = ""] = others.splice(0, 2)
  for (const account of [late, never]) chain.dropped.add(account)
  const neverBody = transfer(never, 3n)
  const [lateId, neverId] = [await sends.statusId(transfer(late, 2n)), await sends.statusId(neverBody)]

  await t.test("at the same time", { jobs: 5 }, async (t) => {
    t.test("a transfer without block hash is signed with a recent one, and included", BESIDE, async (t) => {
      const id = await sends.statusId(transfer(fresh, 5n))
      const { solana, ...status } = await sends.ended(id)
      t.same(status, { txStatus: "INCLUDED" })
      t.match(solana, { signature: /^[1-9A-HJ-NP-Za-km-z]{80,90}$/ })
      t.ok(chain.balance(TO) >= SOL + 5n)
      t.equal(chain.balance(fresh), SOL - 5n - 5_000n, "the fee is the signature's")
    })

    t.test("the same body is the same transaction, however often it comes", BESIDE, async (t) => {
      const [account = ""] = others.splice(0, 1)
      const body = transfer(account, 7n)
      const ids = await Promise.all([body, body, body].map((one) => sends.statusId(one)))
      const [id = ""] = ids
      t.same(ids, [id, id, id])
      t.match(await sends.ended(id), { txStatus: "INCLUDED" })
      t.equal(await sends.statusId(body), id)
      t.equal(handedIn(account), 1)
      t.equal(chain.balance(account), SOL - 7n - 5_000n)
    })

    t.test("the second version is signed by all its keys", BESIDE, async (t) => {
      const signers = [payer, second]
      const { bytes } = solanaTransfer({ signers, to: TO, lamports: 11n, blockhash: LEFT_OPEN })
      const unsignedTransaction = Buffer.from(bytes).toString("hex")
      const body = sends.body({ unsignedTransaction, signWiths: [second, payer], caip2: CAIP2 }, "_V2")
      t.match(await sends.ended(await sends.statusId(body)), { txStatus: "INCLUDED" })
      t.equal(chain.balance(second), SOL - 11n)
    })

    t.test(
      "a transfer that the node's simulation refuses fails, with what the node says",
      BESIDE,
      async (t) => {
        const { solana, ...status } = await sends.ended(await sends.statusId(transfer(poor, 2n * SOL)))
        t.equal(solana, undefined, "no signature of a transaction that no node took")
        t.match(status, {
          txStatus: "FAILED",
          txError: /the node refused the transaction: .*custom program error: 0x1/,
          error: {
            message: /the node refused/,
            solana: {
              source: "preflight",
              rpcCode: -32_002,
              transactionErrorJson: '{"InstructionError":[0,{"Custom":1}]}',
              unitsConsumed: /^\d+$/,
            },
          },
        })
      },
    )

    t.test("a transaction that leaders dropped is handed in again with the same bytes", BESIDE, async (t) => {
      await until(
        async () => ofAccount(late).length > 0,
        () => "the transaction is not handed in",
      )
      chain.dropped.delete(late)
      t.match(await sends.ended(lateId), { txStatus: "INCLUDED" })
      t.equal(handedIn(late), 1)
      t.ok(ofAccount(late).length > 1)
    })
  })

  t.test("without a node nothing is signed that needs one, and what is signed waits for it", async (t) => {
    const [account = "", named = ""] = others.splice(0, 2)
    const recentBlockhash = chain.svm.latestBlockhash()
    await chain.stop()
    const body = transfer(account, 13n)
    const refused = await sends.post(body)
    t.match(refused, {
      status: 503,
      json: { message: /no node of solana:local serves this now: .*try again/ },
    })
    const id = await sends.statusId(transfer(named, 17n, { recentBlockhash }))
    const waits = await sends.reached(id, ({ txError }) => txError !== undefined)
    t.match(waits, { txStatus: "INITIALIZED", txError: /no node of the chain serves now/ })
    await chain.start()
    t.match(await sends.ended(id), { txStatus: "INCLUDED" })
    t.match(await sends.ended(await sends.statusId(body)), { txStatus: "INCLUDED" }, "the same body, later")
    t.equal(chain.balance(named), SOL - 17n - 5_000n)
    t.same([handedIn(account), handedIn(named)], [1, 1])
  })

  // In the short form, test/e2e/send-kills.test.ts alone kills the API in the middle of a send.
  const killed = { skip: isLong ? false : "long form" }
  t.test("kill -9 of the API in the middle of a send: one transaction is included", killed, async (t) => {
    const before = chain.balance(payer)
    const body = transfer(payer, 19n)
    let isFilled = false
    chain.before = (method) => {
      isFilled ||= method === "getLatestBlockhash"
    }
    const lost = sends.post(body).catch(() => undefined)
    await until(
      async () => isFilled,
      () => "no block hash was asked for",
    )
    await system.killApi()
    await lost
    chain.before = () => undefined
    await system.startApi()
    const id = await sends.statusId(body)
    t.match(await sends.ended(id), { txStatus: "INCLUDED" })
    t.equal(await sends.statusId(body), id)
    t.equal(before - chain.balance(payer), 19n + 5_000n)
  })

  t.test("a transaction whose block hash expires fails, and its body stays spent", async (t) => {
    chain.produce(151)
    const { solana, ...status } = await sends.ended(neverId)
    t.equal(solana, undefined)
    t.match(status, {
      txStatus: "FAILED",
      txError: /block hash or nonce has expired before it was included; send it again/,
      error: { solana: { source: "expiry" } },
    })
    chain.dropped.delete(never)
    t.equal(await sends.statusId(neverBody), neverId)
    t.equal(handedIn(never), 1, "a second transaction needs a second stamp")
    t.equal(chain.balance(never), SOL)
  })

  t.test("a send that waits for votes gets the block hash of the last vote's time", async (t) => {
    const alice = newKey()
    const { organizationId, root, rootUserId } = acme
    const submit = (type: string, parameters: object, key = root) =>
      system.submit(type.toLowerCase(), system.body(type, organizationId, parameters), key)
    const { result } = await system.submit(
      "create_users",
      system.body("CREATE_USERS_V4", organizationId, { users: [userParams("alice", alice)] }),
      root,
    )
    const [aliceId] = (result as { createUsersResult: { userIds: string[] } }).createUsersResult.userIds
    await submit("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [rootUserId, aliceId] })
    const { json } = await sends.post(transfer(second, 23n))
    const { id, status, fingerprint } = json["activity"] as {
      id: string
      status: string
      fingerprint: string
    }
    t.equal(status, "ACTIVITY_STATUS_CONSENSUS_NEEDED")
    chain.produce(151)
    await submit("APPROVE_ACTIVITY", { fingerprint }, alice)
    const { activity } = (await system.query("get_activity", { organizationId, activityId: id }, root))
      .json as { activity: { result: { solSendTransactionResult: { sendTransactionStatusId: string } } } }
    const { sendTransactionStatusId } = activity.result.solSendTransactionResult
    t.match(await sends.ended(sendTransactionStatusId), { txStatus: "INCLUDED" })
  })
})
