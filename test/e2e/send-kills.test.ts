// kill -9 of each process at the worst moments of a send: one stamped send is exactly one mined transaction.
import t, { type Test } from "tap"
import { startAnvil } from "../harness/anvil.ts"
import { lockWaits } from "../harness/database.ts"
import { freePort } from "../harness/free-port.ts"
import { isLong } from "../harness/long.ts"
import { rpcFront } from "../harness/rpc-front.ts"
import { until } from "../services/worker/start-worker.ts"
import { startSending } from "./sending.ts"

const TO = "0x00000000000000000000000000000000000000aa"

/** The short form kills where most could be lost: what the signer decided, and what a node may have. */
const inLong = { skip: isLong ? false : "long form: npm run test:long -- test/e2e/send-kills.test.ts" }

t.test("kill -9 in the middle of a send:", async (t) => {
  const port = await freePort()
  let chain = await startAnvil(t, { port })
  const front = await rpcFront(t, chain)
  const { system, sql, startOwnWorker, client, ...started } = await startSending(t, {
    chain,
    nodeUrl: front.url,
  })
  let { worker } = started
  const from = await client.account()
  let sum = 0n
  let sends = 0

  /** Sends once, whatever becomes of the answer. */
  function begin(value: bigint) {
    const body = client.body({ from, to: TO, value: String(value) })
    return { value, body, answered: client.post(body).catch(() => undefined) }
  }

  /** The same body is one transaction, and it is mined once: the recipient's balance and the nonce say so. */
  async function requireOnce(t: Test, ...bodies: ReturnType<typeof begin>[]) {
    for (const { body, value } of bodies) {
      const id = await client.statusId(body)
      t.equal((await client.ended(id))["txStatus"], "INCLUDED")
      t.equal(await client.statusId(body), id, "the same body is the same transaction")
      sum += value
      sends += 1
    }
    t.equal(await client.balance(TO), sum)
    t.equal(Number(await chain.call("eth_getTransactionCount", from, "latest")), sends)
    const rows = await sql<{ nonce: string }[]>`select nonce from sends order by nonce`
    t.same(
      rows.map(({ nonce }) => Number(nonce)),
      Array.from({ length: sends }, (_, nonce) => nonce),
      "no nonce twice, none left out",
    )
  }

  /** Resolves with the first call of a method. Calls of the method stay unanswered until `front.clear`. */
  function silenced(method: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    front.on(method, () => {
      resolve()
      return Promise.resolve(undefined)
    })
    return promise
  }

  t.test("of the API, while it asks a node for the nonce", inLong, async (t) => {
    const asked = silenced("eth_getTransactionCount")
    const begun = begin(1n)
    await asked
    await system.killApi()
    await begun.answered
    front.clear()
    await system.startApi()
    await requireOnce(t, begun)
  })

  t.test(
    "of the API, between signature and database: the next nonce waits for the recovered outcome",
    async (t) => {
      const storing = async () => (await lockWaits(sql, "insert into sends")) > 0
      const begun = await sql.begin(async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`
        await tx`lock table sends in share mode`
        const one = begin(2n)
        await until(storing, () => "no outcome was stored")
        await system.killApi()
        await one.answered
        return one
      })
      await system.startApi()
      // Before the first one is asked for again.
      const next = begin(3n)
      await next.answered
      await requireOnce(t, begun, next)
    },
  )

  t.test("of the signer, while the API asks a node for the gas", inLong, async (t) => {
    const { promise: killed, resolve } = Promise.withResolvers<void>()
    front.on("eth_estimateGas", async (_call, pass) => {
      front.clear()
      resolve(system.killSigner())
      await killed
      return pass()
    })
    const begun = begin(4n)
    await killed
    await system.startSigner()
    await begun.answered
    await requireOnce(t, begun)
  })

  t.test("of the worker, before and after a node has the bytes: another one takes over", async (t) => {
    const { promise: both, resolve } = Promise.withResolvers<void>()
    let broadcasts = 0
    front.on("eth_sendRawTransaction", async (_call, pass) => {
      broadcasts += 1
      if (broadcasts === 1) await pass()
      if (broadcasts === 2) resolve()
      return new Promise(() => undefined)
    })
    const begun = [begin(5n), begin(6n)]
    await Promise.all(begun.map(({ answered }) => answered))
    await both
    process.kill(worker.pid, "SIGKILL")
    front.clear()
    worker = await startOwnWorker()
    await requireOnce(t, ...begun)
  })

  t.test("of the node, which forgets the transaction: it gets the same bytes again", inLong, async (t) => {
    const state = await chain.call("anvil_dumpState")
    await chain.call("evm_setAutomine", false)
    const begun = begin(7n)
    await begun.answered
    const id = await client.statusId(begun.body)
    await client.reached(id, ({ txStatus }) => txStatus === "BROADCASTING")
    await chain.stop()
    chain = await startAnvil(t, { port })
    await chain.call("anvil_loadState", state)
    await requireOnce(t, begun)
    const sent = front.calls.filter(({ method }) => method === "eth_sendRawTransaction")
    t.equal(new Set(sent.map(({ params }) => params[0])).size, sends, "one signature for each send")
  })
})
