// Nodes that are down, slow, or lie: the caller learns of it, and one stamped send stays one signature.
import t, { type Test } from "tap"
import { startAnvil } from "../harness/anvil.ts"
import { casesOf } from "../harness/long.ts"
import { answering, type RpcFront, rpcFront } from "../harness/rpc-front.ts"
import { until } from "../services/worker/start-worker.ts"
import { startSending } from "./sending.ts"

const TO = "0x00000000000000000000000000000000000000aa"

const html = () => Promise.resolve({ status: 200, body: "<html>blocked</html>" })
const failed = () => Promise.resolve({ status: 502, body: "<h1>Bad Gateway</h1>" })
const closed = () => Promise.resolve(undefined)
const silent = () => new Promise<undefined>(() => undefined)

/** Faults of a node while the API asks it for values, and the answer to the caller. */
const ASKED: { [name: string]: [(front: RpcFront) => void, number, RegExp] } = {
  // First: fees that were read are used for two seconds.
  "that says too high a fee": [
    (front) => front.on("eth_maxPriorityFeePerGas", answering("0xffffffffffff")),
    400,
    /above the cap .*COUNTERSIGN_SIGNER_FEE_CAPS/,
  ],
  "that answers HTML": [(front) => front.on("*", html), 503, /no node of eip155:31337 .*without JSON-RPC/],
  "that is slow": [(front) => front.on("*", silent), 503, /did not answer in time/],
  "that says no integer for the nonce": [
    (front) => front.on("eth_getTransactionCount", answering("many")),
    503,
    /eth_getTransactionCount/,
  ],
  "that answers 502": [(front) => front.on("*", failed), 503, /HTTP 502/],
  "that is down": [(front) => front.on("*", closed), 503, /cannot be reached/],
  "that says too much gas": [
    (front) => front.on("eth_estimateGas", answering("0xffffffffffff")),
    400,
    /above the cap/,
  ],
}

t.test("faults of nodes:", async (t) => {
  const chain = await startAnvil(t)
  const front = await rpcFront(t, chain)
  const { client, sql } = await startSending(t, { chain, nodeUrl: front.url })
  const from = await client.account()
  const signed = async () => (await sql`select from sends`).length
  let sum = 0n

  for (const [name, [fault, status, message]] of casesOf(3, Object.entries(ASKED))) {
    t.test(`a node ${name} is named, nothing is signed, and the same body is sent later`, async (t) => {
      const before = await signed()
      const body = client.body({ from, to: TO, value: "1" })
      fault(front)
      t.match(await client.post(body), { status, json: { message } })
      t.equal(await signed(), before)
      front.clear()
      await until(
        async () => (await client.post(body)).status === 200,
        () => "the send is still refused",
      )
      t.match(await client.ended(await client.statusId(body)), { txStatus: "INCLUDED" })
      sum += 1n
      t.equal(await client.balance(TO), sum)
      t.equal(await signed(), before + 1)
    })
  }

  /** A send whose status has to say what is wrong; afterwards it ends well, with the bytes of the first signature. */
  async function followed(t: Test, fault: () => void, said: RegExp, mend = () => front.clear()) {
    fault()
    const body = client.body({ from, to: TO, value: "1" })
    const id = await client.statusId(body)
    const open = await client.reached(id, ({ txError }) => said.test(String(txError)))
    t.match(open["txStatus"], /^(?:INITIALIZED|BROADCASTING)$/)
    t.equal(await client.statusId(body), id)
    mend()
    t.match(await client.ended(id), { txStatus: "INCLUDED" })
    sum += 1n
    t.equal(await client.balance(TO), sum)
    const raws = await sql<{ raw: Uint8Array }[]>`select raw from sends where id = ${id}`
    const sent = front.calls.filter(({ method }) => method === "eth_sendRawTransaction")
    const own = `0x${Buffer.from(raws[0]!.raw).toString("hex")}`
    t.ok(sent.filter(({ params }) => params[0] === own).length >= 2, "the same bytes again")
  }

  t.test("a worker's node that answers HTML is named in the status", (t) =>
    followed(t, () => front.on("eth_sendRawTransaction", html), /without JSON-RPC/),
  )

  t.test("a worker's node that is down is named in the status", (t) =>
    followed(t, () => front.on("eth_sendRawTransaction", closed), /cannot be reached/),
  )

  t.test("a node that contradicts itself about a nonce is named, and the transaction stays open", (t) => {
    const refused = ({ id }: { id: number }) => {
      const error = { code: -32000, message: "nonce too low" }
      return Promise.resolve({ status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, error }) })
    }
    return followed(t, () => front.on("eth_sendRawTransaction", refused), /nonce too low/)
  })

  t.test("a nonce that a node says too high is waited for, and the next send fills the gap", async (t) => {
    const next = Number(await chain.call("eth_getTransactionCount", from, "latest"))
    front.on("eth_getTransactionCount", ({ id, params, ...call }, pass) =>
      params[1] === "pending"
        ? answering(`0x${(next + 1).toString(16)}`)({ id, params, ...call }, pass)
        : pass(),
    )
    const id = await client.statusId(client.body({ from, to: TO, value: "1" }))
    await client.reached(id, ({ txError }) => /waits for the nonces/.test(String(txError)))
    front.clear()
    const filling = await client.statusId(client.body({ from, to: TO, value: "1" }))
    for (const one of [filling, id]) t.match(await client.ended(one), { txStatus: "INCLUDED" })
    sum += 2n
    t.equal(await client.balance(TO), sum)
  })
})
