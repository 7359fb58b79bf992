// Callers who open connections and do not use them, do not read answers, or do not end bodies.
import { once } from "node:events"
import type { RequestListener } from "node:http"
import { connect, type Socket } from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import t from "tap"
import { ApiError } from "../../../services/common/api-error.ts"
import { BodyBudget } from "../../../services/common/body-budget.ts"
import { HTTP_LIMITS, type HttpLimits } from "../../../services/common/http-limits.ts"
import { listen } from "../../../services/common/listen.ts"
import { createLogger } from "../../../services/common/logger.ts"
import { sendLongBody } from "../../harness/long-body.ts"
import { readRawBody } from "../../../services/common/raw-body.ts"

/** More than the operating system buffers for a connection that is not read. */
const ANSWER_BYTES = 16 * 1024 * 1024

type Answer = (...[request, response]: Parameters<RequestListener>) => void | Promise<unknown>

async function start(t: Tap, answer: Answer, limits: Partial<HttpLimits> = {}) {
  const log = createLogger("test", "silent")
  const handler: RequestListener = (...both) => void answer(...both)
  const server = await listen(
    { handler, log, limits: { ...HTTP_LIMITS, ...limits } },
    { host: "127.0.0.1", port: 0 },
  )
  const sockets: Socket[] = []
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await server.close()
  })
  /** Opens a connection that reads only when the test does, and sends a text. */
  async function open(text = ""): Promise<Socket> {
    const socket = connect(server.port, "127.0.0.1").pause()
    sockets.push(socket)
    socket.on("error", () => undefined)
    await once(socket, "connect")
    if (text !== "") socket.write(text)
    return socket
  }
  return { url: server.url, open }
}

type Tap = { teardown(clean: () => Promise<void>): unknown }

const GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

async function isClosed(socket: Socket): Promise<boolean> {
  socket.resume()
  if (!socket.closed) await once(socket, "close")
  return true
}

t.test("a connection over the limit takes the place of the one that is idle for longest", async (t) => {
  const { promise: held, resolve: answer } = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const { url, open } = await start(
    t,
    async (request, response) => {
      asked.resolve()
      if (request.url === "/held") await held
      response.end("answered")
    },
    { maxConnections: 3 },
  )
  const handled = fetch(`${url}/held`)
  await asked.promise
  const [first, second] = [await open(), await open("GET / HTTP/1.1\r\n")]
  t.equal(await (await fetch(url)).text(), "answered", "a new caller is served")
  t.ok(await isClosed(first))
  t.notOk(second.closed, "no more than needed")
  answer()
  t.equal(await (await handled).text(), "answered", "a request that is handled keeps its connection")
})

/** Answers of `ANSWER_BYTES`. Each of `sent` resolves when its connection is done: whether all bytes left the process. */
function largeAnswers() {
  const body = Buffer.alloc(ANSWER_BYTES)
  const sent: Promise<boolean>[] = []
  const handler: RequestListener = (_, response) => {
    sent.push(once(response, "close").then(() => response.writableFinished))
    response.end(body)
  }
  return { handler, sent }
}

t.test("unread answers beyond the bound in bytes are dropped, the oldest first", async (t) => {
  const { handler, sent } = largeAnswers()
  const { url, open } = await start(t, handler, { maxUnreadBytes: 2.5 * ANSWER_BYTES })
  const read = async () => (await (await fetch(url)).bytes()).length
  await open(GET)
  while (sent.length < 1) await turn()
  t.equal(await read(), ANSWER_BYTES, "beside one")
  const second = await open(GET)
  while (sent.length < 3) await turn()
  t.equal(await read(), ANSWER_BYTES, "beside two, of which the first is dropped")
  t.same(await Promise.all([sent[0], sent[1], sent[3]]), [false, true, true])
  second.resume()
  t.equal(await sent[2], true, "the second is still sent when it is read")
})

t.test("an answer that is not read in time is dropped", async (t) => {
  const { handler, sent } = largeAnswers()
  const { open } = await start(t, handler, { readAnswerMs: 50, checkEveryMs: 10 })
  await open(GET)
  while (sent.length === 0) await turn()
  t.equal(await sent[0], false)
})

t.test("half-sent bodies beyond the limit are dropped, the oldest first", async (t) => {
  const budget = new BodyBudget(128 * 1024)
  const begun: (() => void)[] = []
  const results: string[] = []
  const { url, open } = await start(t, async (request, response) => {
    request.once("data", () => begun.shift()?.())
    const result = await readRawBody({ req: request, res: response }, 64 * 1024, budget).catch(
      (fault: unknown) => fault,
    )
    if (!(result instanceof ApiError)) return response.end(`${(result as Buffer).length} bytes`)
    results.push(`${result.status} ${result.reason}`)
    response.writeHead(result.status).end()
  })
  const half = (length: number) =>
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n${"x".repeat(length)}`
  for (const length of [30_000, 20_000]) {
    const { promise, resolve } = Promise.withResolvers<void>()
    begun.push(resolve)
    await open(half(length))
    await promise
  }
  const send = async (length: number) =>
    (await fetch(url, { method: "POST", body: "x".repeat(length) })).text()
  t.equal(await send(5_000), "5000 bytes")
  t.same(results, [], "they fit together")
  t.equal(await send(30_000), "30000 bytes")
  t.same(results, ["503 BODIES_TOO_MANY"])
  t.equal(await send(40_000), "40000 bytes", "the memory of the first was given back")
  t.same(results, ["503 BODIES_TOO_MANY"])
})

t.test(
  "a body counts for the memory that it takes, not for the length that its caller declares",
  async (t) => {
    const declared = 1024 * 1024
    const callers = 200
    const begun = Promise.withResolvers<void>()
    let waiting = callers
    const { url, open } = await start(t, async (request, response) => {
      request.once("data", () => --waiting === 0 && begun.resolve())
      const body = await readRawBody({ req: request, res: response }, declared, new BodyBudget()).catch(
        () => undefined,
      )
      response.end(body)
    })
    const before = process.memoryUsage().arrayBuffers
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${declared}\r\n\r\n`
    await Promise.all(Array.from({ length: callers }, () => open(`${head}x`)))
    await begun.promise
    const taken = process.memoryUsage().arrayBuffers - before
    t.ok(taken < declared * (callers / 4), `${taken} bytes`)
    const bytes = Buffer.from(Array.from({ length: declared }, (_, at) => at % 251))
    const answer = await fetch(url, { method: "POST", body: bytes })
    t.ok(bytes.equals(await answer.bytes()), "a body in many chunks is whole")
  },
)

t.test("a request that closed before its body was read is given up", async (t) => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const { open } = await start(t, async (request, response) => {
    // Closed at once, or while it waited for its place.
    await once(request, "close").catch(() => undefined)
    const reading = readRawBody({ req: request, res: response }, 1000).catch((fault: unknown) => fault)
    resolve(await Promise.race([reading, turn("it still waits")]))
  })
  const socket = await open("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
  socket.destroy()
  t.match(await promise, { reason: "ABANDONED" })
})

t.test("W32: a listener whose handler reads no body reads none of a long one", async (t) => {
  const { url } = await start(t, (_, response) => void response.writeHead(405).end())
  const { text, bytesRead } = await sendLongBody(
    Number(new URL(url).port),
    "POST / HTTP/1.1\r\nHost: localhost\r\n",
  )
  t.match(text, /^HTTP\/1\.1 405 /)
  t.ok(bytesRead < 256 * 1024, `${bytesRead} bytes`)
})

t.test("a body that arrives in many small chunks counts for the memory that it takes", (t) => {
  const budget = new BodyBudget(1000)
  let givenUp = 0
  const body = { bytes: 0, giveUp: () => void givenUp++ }
  budget.begin(body)
  for (let chunk = 0; chunk < 5; chunk++) budget.add(body, 257)
  t.equal(givenUp, 1)
  budget.end(body)
  const next = { bytes: 0, giveUp: () => void givenUp++ }
  budget.begin(next)
  budget.add(next, 1000)
  t.equal(givenUp, 1, "what a body held is given back once")
  t.end()
})
