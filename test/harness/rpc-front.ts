import type { IncomingMessage, ServerResponse } from "node:http"
import { json } from "node:stream/consumers"
import type { Test } from "tap"
import type { Anvil } from "./anvil.ts"
import { webServer } from "./web-server.ts"

/** A call of JSON-RPC as a client sent it. */
export type RpcCall = { id: number; method: string; params: unknown[] }

/** An answer over HTTP; undefined: the connection is closed without one. */
type RpcReply = { status: number; body: string } | undefined
type RpcHandler = (call: RpcCall, pass: () => Promise<RpcReply>) => Promise<RpcReply>

/** An address in front of a chain's node. It passes calls on unless the test answers them. */
export type RpcFront = {
  url: string
  /** Calls, in the order in which they came. */
  calls: RpcCall[]
  /** Answers calls of a method from now on; "*": of every method that has no handler. */
  on(method: string, handler: RpcHandler): void
  /** Passes all calls on again. */
  clear(): void
}

export async function rpcFront(t: Pick<Test, "teardown">, chain: Pick<Anvil, "url">): Promise<RpcFront> {
  const handlers = new Map<string, RpcHandler>()
  const calls: RpcCall[] = []
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = (await json(request)) as RpcCall
    calls.push(call)
    const pass = () => passOn(chain.url, call)
    const handler = handlers.get(call.method) ?? handlers.get("*")
    const reply = await (handler === undefined ? pass() : handler(call, pass))
    if (reply === undefined) response.destroy()
    else response.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body)
  }
  const server = await webServer((request, response) => void serve(request, response))
  t.teardown(() => server.close())
  return {
    url: `http://127.0.0.1:${server.port}`,
    calls,
    on: (method, handler) => void handlers.set(method, handler),
    clear: () => handlers.clear(),
  }
}

/** A node's answer of the test's choice. */
export const answering =
  (result: unknown): RpcHandler =>
  ({ id }) =>
    Promise.resolve({ status: 200, body: JSON.stringify({ jsonrpc: "2.0", id, result }) })

async function passOn(url: string, call: RpcCall): Promise<RpcReply> {
  const headers = { "content-type": "application/json" }
  const reply = await fetch(url, { method: "POST", body: JSON.stringify(call), headers }).catch(
    () => undefined,
  )
  return reply && { status: reply.status, body: await reply.text() }
}
