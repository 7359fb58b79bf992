import type { IncomingMessage, ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import t, { type Test } from "tap"
import { EthereumNode } from "../../../services/chains/ethereum.ts"
import { JsonRpc, NodeRefusal, NodeUnavailable } from "../../../services/chains/json-rpc.ts"
import { webServer } from "../../harness/web-server.ts"

type Call = { id: number; method: string; params: unknown[] }
type Answer = (call: Call, response: ServerResponse, request: IncomingMessage) => void

/** A node that answers as the test says. */
async function node(t: Test, answer: Answer): Promise<string> {
  const server = await webServer((request, response) => {
    void json(request).then((call) => answer(call as Call, response, request))
  })
  t.teardown(() => server.close())
  return `http://127.0.0.1:${server.port}/access-key`
}

const honest =
  (results: { [method: string]: unknown }): Answer =>
  ({ id, method }, response) =>
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? "0x7a69" }))

/** Generous, except where nothing comes. */
const LIMITS = { timeoutMs: 30_000, maxBytes: 10_000 }
const IMPATIENT = { ...LIMITS, timeoutMs: 300 }

const BROKEN: { [name: string]: [Answer, RegExp] } = {
  "a page of HTML": [(_, response) => response.end("<html>blocked</html>"), /HTTP 200 without JSON-RPC/],
  "an error page": [(_, response) => response.writeHead(502).end("<h1>"), /HTTP 502/],
  "a limit of its callers": [
    ({ id }, response) =>
      response.writeHead(429).end(JSON.stringify({ id, error: { code: 429, message: "Too many requests" } })),
    /HTTP 429/,
  ],
  "more bytes than the limit": [(_, response) => response.end("x".repeat(20_000)), /more than 10000 bytes/],
  "no answer": [() => undefined, /not answer in time/],
  "an answer to another call": [
    (_, response) => response.end('{"jsonrpc":"2.0","id":99,"result":"0x1"}'),
    /answers another call/,
  ],
  "no result": [({ id }, response) => response.end(JSON.stringify({ id })), /without a result/],
  "a redirection": [
    (_, response) => response.writeHead(302, { location: "http://localhost:9/" }).end(),
    /cannot be reached/,
  ],
  "a closed connection": [(_, response) => response.destroy(), /cannot be reached/],
}

for (const [name, [answer, fault]] of Object.entries(BROKEN)) {
  t.test(`${name} is no answer, and the next node is asked`, async (t) => {
    const broken = await node(t, answer)
    const limits = name === "no answer" ? IMPATIENT : LIMITS
    const thrown = await new JsonRpc([broken], limits).call("x", []).catch((error: unknown) => error)
    t.type(thrown, NodeUnavailable)
    t.match((thrown as Error).message, fault)
    t.notMatch((thrown as Error).message, /access-key/)
    t.equal((thrown as NodeUnavailable).mayBeDone, name !== "a limit of its callers")
    t.notMatch((thrown as NodeUnavailable).fault, /127\.0\.0\.1/, "callers do not learn the operator's hosts")
    const good = await node(t, honest({}))
    if (name !== "no answer") t.equal(await new JsonRpc([broken, good], limits).call("x", []), "0x7a69")
  })
}

t.test("a refusal of the first node is the answer: the second one is not asked", async (t) => {
  const refusing = await node(t, ({ id }, response) =>
    response.end(JSON.stringify({ id, error: { code: -32000, message: "nonce too\n low", data: "0x01" } })),
  )
  let asked = 0
  const other = await node(t, (call, response, request) => {
    asked += 1
    honest({})(call, response, request)
  })
  const thrown = await new JsonRpc([refusing, other], LIMITS).call("x", []).catch((error: unknown) => error)
  t.match(thrown, { code: -32000, message: "nonce too low", data: "0x01" })
  t.type(thrown, NodeRefusal)
  t.equal(asked, 0)
})

t.test("answers that no honest node gives are refused", async (t) => {
  const chain = { caip2: "eip155:31337", namespace: "eip155", reference: "31337" } as const
  const at = async (results: { [method: string]: unknown }) =>
    new EthereumNode({ ...chain, urls: [await node(t, honest(results))] }, LIMITS)
  const address = `0x${"11".repeat(20)}`
  for (const nonce of ["0x", "0xzz", "12", 12, `0x1${"0".repeat(16)}`, {}])
    await t.rejects((await at({ eth_getTransactionCount: nonce })).nonce(address, "latest"), NodeUnavailable)
  await t.rejects(
    (await at({ eth_getTransactionReceipt: { blockNumber: "0x1" } })).receipt("0xab"),
    NodeUnavailable,
  )
  await t.rejects(
    (await at({ eth_chainId: "0x1" })).nonce(address, "latest"),
    /belongs to chain eip155:1; correct/,
  )
  t.equal(await (await at({ eth_getTransactionCount: "0x10" })).nonce(address, "latest"), 16n)
})
