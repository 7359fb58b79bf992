// Invalid HTTP is answered in JSON with code, message and details, and the service continues.
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { finished } from "node:stream/promises"
import { setTimeout as wait } from "node:timers/promises"
import t from "tap"
import { HTTP_LIMITS, MAX_HEADER_BYTES } from "../../../../services/common/http-limits.ts"
import { listen } from "../../../../services/common/listen.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import { requireError } from "../../../contract/replies.ts"
import { type Json, startApi } from "../start-api.ts"

const INVALID_ARGUMENT = 3
const DEADLINE_EXCEEDED = 4
const UNIMPLEMENTED = 12
const HOST = "Host: localhost\r\n"
const WHOAMI = "POST /public/v1/query/whoami HTTP/1.1\r\n"

t.jobs = 4
const api = await startApi(t)
const port = Number(new URL(api.url).port)

type Answer = { status: number; headers: Headers; json: Json; text: string }
type Expected = { status: number; code: number; reason: string; message: RegExp }

t.test("a request that is not HTTP/1.1 is answered in JSON", async (t) => {
  const malformed = (message: RegExp) => ({
    status: 400,
    code: INVALID_ARGUMENT,
    reason: "HTTP_MALFORMED",
    message,
  })
  const cases: { [name: string]: [request: string, expected: Expected] } = {
    "a garbage request line": ["garbage\r\n\r\n", malformed(/not well-formed HTTP\/1\.1: Invalid method/)],
    "the beginning of TLS": ["\x16\x03\x01\x02\x00\x01\x00\x01", malformed(/not well-formed/)],
    "HTTP/2 without asking": ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", malformed(/not well-formed/)],
    "an unknown version": [`GET /livez HTTP/3.0\r\n${HOST}\r\n`, malformed(/version/)],
    "a Content-Length that is not a number": [
      `${WHOAMI}${HOST}Content-Length: ten\r\n\r\n`,
      malformed(/Content-Length/),
    ],
    "two lengths": [
      `${WHOAMI}${HOST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      malformed(/Content-Length/),
    ],
    "a length and chunks": [
      `${WHOAMI}${HOST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
      malformed(/Transfer-Encoding/),
    ],
    "a chunk without length": [
      `${WHOAMI}${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
      malformed(/chunk size/),
    ],
    "U+0000 in a header": [`GET /livez HTTP/1.1\r\n${HOST}X: a\0b\r\n\r\n`, malformed(/header/)],
    "an invalid target": [`GET http://[ HTTP/1.1\r\n${HOST}\r\n`, malformed(/neither a path nor a URL/)],
    "no Host": ["GET /livez HTTP/1.1\r\n\r\n", malformed(/demands a Host header/)],
    "headers over the limit": [
      `${WHOAMI}${HOST}X-Stamp: ${"x".repeat(20_000)}\r\nContent-Length: 2\r\n\r\n{}`,
      { status: 431, code: INVALID_ARGUMENT, reason: "HEADERS_TOO_LARGE", message: /16384 bytes/ },
    ],
    "a path over the limit": [
      `GET /${"x".repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
      { status: 431, code: INVALID_ARGUMENT, reason: "HEADERS_TOO_LARGE", message: /16384 bytes/ },
    ],
    "chunks with endless extensions": [
      `${WHOAMI}${HOST}Transfer-Encoding: chunked\r\n\r\n1;${"e".repeat(20_000)}\r\n`,
      { status: 413, code: INVALID_ARGUMENT, reason: "REQUEST_TOO_LARGE", message: /extensions/ },
    ],
    "an unknown expectation": [
      `${WHOAMI}${HOST}Expect: moon\r\nContent-Length: 2\r\n\r\n`,
      { status: 417, code: INVALID_ARGUMENT, reason: "EXPECTATION_UNKNOWN", message: /100-continue/ },
    ],
  }
  await Promise.all(
    Object.entries(cases).map(async ([name, [request, expected]]) => {
      const socket = await open()
      socket.write(request, "latin1")
      requireAnswer(await answerOf(socket), expected, name)
      await stillServes(name)
    }),
  )

  t.test("a tunnel", async (t) => {
    const socket = await open()
    socket.write(`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`)
    const { status, json } = await answerOf(socket)
    t.equal(status, 405)
    requireError(json, UNIMPLEMENTED)
    await stillServes("a tunnel")
  })

  function requireAnswer({ status, headers, json }: Answer, expected: Expected, name: string): void {
    t.equal(status, expected.status, `${name}: ${expected.status}`)
    t.equal(headers.get("content-type"), "application/json", `${name}: JSON without charset`)
    t.equal(headers.get("connection"), "close", `${name}: closes the connection`)
    t.equal(headers.get("access-control-allow-origin"), "*", `${name}: lets pages read it`)
    requireError(json, expected.code)
    t.match(json["message"], expected.message, `${name}: says why`)
    const requestId = headers.get("x-request-id")
    const info = (json["details"] as Json[]).at(-1)
    t.match(info, { reason: expected.reason, metadata: { requestId } }, `${name}: gives the reason`)
    const line = api.logged.findLast((line) => line["requestId"] === requestId)
    t.match(line, { status: expected.status, reason: expected.reason }, `${name}: is logged`)
  }
})

t.test("an incomplete request is answered 408 in JSON after its timeout", async (t) => {
  const limits = { ...HTTP_LIMITS, headersTimeoutMs: 500, requestTimeoutMs: 700, checkEveryMs: 50 }
  const hasty = await startApi(t, {}, limits)
  const started: [name: string, sent: string][] = [
    ["nothing", ""],
    ["half of the headers", `${WHOAMI}${HOST}`],
    ["half of the body", `${WHOAMI}${HOST}Content-Length: 100\r\n\r\n{"organizationId":`],
  ]
  const requireTimeout = async (name: string, sent: string) => {
    const socket = await open(Number(new URL(hasty.url).port))
    socket.write(sent)
    const { status, json } = await answerOf(socket)
    t.equal(status, 408, name)
    requireError(json, DEADLINE_EXCEEDED)
    t.match(json["message"], /not sent to its end in time/)
    t.match((json["details"] as Json[]).at(-1), { reason: "REQUEST_TIMEOUT" })
    t.equal((await hasty.send("/livez")).status, 200)
  }
  await Promise.all(started.map(([name, sent]) => requireTimeout(name, sent)))
})

t.test("a request that its sender ends half-way is answered, as the sender may still read", async (t) => {
  const socket = await open()
  socket.end(`${WHOAMI}${HOST}Content-Length: 100\r\n\r\n{`)
  const { status, json } = await answerOf(socket)
  t.equal(status, 400)
  requireError(json, INVALID_ARGUMENT)
  await stillServes("half a request")
})

t.test("garbage after a good request leaves its answer whole", async (t) => {
  const socket = await open()
  socket.write(`GET /livez HTTP/1.1\r\n${HOST}\r\ngarbage\r\n\r\n`)
  const [first = "", second = ""] = (await textOf(socket)).split(/(?<=\})(?=HTTP)/)
  t.match(first, /^HTTP\/1\.1 200 /)
  t.match(first, '{"live":true}')
  const { status, json } = readAnswer(second)
  t.equal(status, 400)
  requireError(json, INVALID_ARGUMENT)
})

t.test("the answer to a broken request follows the answers to slow requests before it", async (t) => {
  const broken: [name: string, request: string, status: number][] = [
    ["a broken chunk", `POST /body HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ["half of a body", `POST /body HTTP/1.1\r\n${HOST}Content-Length: 10\r\n\r\n{`, 408],
    ["half of the headers", `POST /body HTTP/1.1\r\n${HOST}`, 408],
    ["a tunnel", `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, 405],
    ["garbage", "garbage\r\n\r\n", 400],
  ]
  const requireOrder = async ([name, request, status]: (typeof broken)[number], slow: number) => {
    const { open, faults } = await slowServer(t)
    const socket = await open()
    socket.write(SLOW.repeat(slow) + request)
    const answers = answersIn(await textOf(socket))
    const expected = [...Array<number>(slow).fill(200), status]
    t.strictSame(
      answers.map((answer) => answer.status),
      expected,
      `${name} after ${slow} slow: in order`,
    )
    for (const { json } of answers.slice(0, slow)) t.strictSame(json, { path: "/slow" }, name)
    t.strictSame(faults, [status], `${name}: is logged once`)
  }
  await Promise.all(broken.flatMap((request) => [1, 2].map((slow) => requireOrder(request, slow))))
})

t.test("a request answered before its body broke keeps its answer and its position", async (t) => {
  const { open, faults } = await slowServer(t)
  const socket = await open()
  socket.write(`${SLOW}POST /early HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)
  const answers = answersIn(await textOf(socket))
  t.strictSame(
    answers.map(({ json }) => json),
    [{ path: "/slow" }, { path: "/early" }],
  )
  t.strictSame(faults, [], "no second answer")
})

t.test("a body that is late, but complete before its turn, is answered by its handler", async (t) => {
  const { open, faults } = await slowServer(t)
  const socket = await open()
  socket.write(`${SLOW}POST /body HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{`)
  await wait((LATE_MS + SLOW_MS) / 2)
  socket.write("}")
  const answers = answersIn(await textOf(socket))
  t.strictSame(
    answers.map(({ json }) => json),
    [{ path: "/slow" }, { path: "/body" }],
  )
  t.strictSame(faults, [], "no second answer")
})

t.test("a request that was answered before its body came gets no second answer", async (t) => {
  const socket = await open()
  socket.write(`POST /nothing HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`)
  const [chunk] = (await once(socket, "data")) as [Buffer]
  t.match(chunk.toString(), /^HTTP\/1\.1 404 /)
  socket.write("zz\r\n")
  t.equal(await textOf(socket), "")
  await stillServes("a body behind its answer")
})

t.test("bytes after a fault are discarded, and the answer arrives", async (t) => {
  const socket = await open()
  socket.write(`${WHOAMI}${HOST}X-Stamp: ${"x".repeat(MAX_HEADER_BYTES)}\r\n`)
  for (let part = 0; part < 64; part++) socket.write("x".repeat(16 * 1024))
  const { status, json } = await answerOf(socket)
  t.equal(status, 431)
  requireError(json, INVALID_ARGUMENT)
})

t.test("a sender that disconnects before the answer does not affect others", async (t) => {
  const before = broken()
  for (let round = 0; round < 20; round++) {
    const socket = await open()
    socket.write("garbage\r\n\r\n")
    socket.resetAndDestroy()
  }
  const socket = await open()
  socket.write("garbage\r\n\r\n")
  t.equal((await answerOf(socket)).status, 400)
  t.ok(broken() > before)
  await stillServes("connections that were reset")
})

t.test("Expect: 100-continue goes on", async (t) => {
  const socket = await open()
  socket.write(`${WHOAMI}${HOST}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n`)
  const [chunk] = (await once(socket, "data")) as [Buffer]
  t.match(chunk.toString(), /^HTTP\/1\.1 100 /)
  socket.write("{}")
  t.match(await textOf(socket), /^HTTP\/1\.1 400 [^]*"organizationId"/)
})

t.test("a target in absolute form is read as its path", async (t) => {
  const socket = await open()
  socket.write(`GET http://localhost/livez?a=b HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`)
  const { status, json } = await answerOf(socket)
  t.equal(status, 200)
  t.same(json, { live: true })
})

t.test("HTTP/1.0 needs no Host", async (t) => {
  const socket = await open()
  socket.write("GET /livez HTTP/1.0\r\n\r\n")
  t.equal((await answerOf(socket)).status, 200)
})

const SLOW_MS = 1500
const LATE_MS = 300
const SLOW = `GET /slow HTTP/1.1\r\n${HOST}\r\n`

/** Answers `/early` at once, `/slow` long after the request timeout, other paths once their body is complete. */
async function slowServer(t: { teardown(clean: () => Promise<void>): unknown }) {
  const faults: unknown[] = []
  const log = createLogger("test", "info", {
    write: (line: string) => faults.push((JSON.parse(line) as Json)["status"]),
  })
  const handler = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path } = request
    if (path === "/slow") await wait(SLOW_MS)
    if (path === "/body" && !(await isWhole(request))) return
    const body = JSON.stringify({ path })
    response.writeHead(200, { "Content-Length": body.length }).end(body)
  }
  const limits = {
    ...HTTP_LIMITS,
    headersTimeoutMs: LATE_MS - 100,
    requestTimeoutMs: LATE_MS,
    checkEveryMs: 50,
  }
  const server = await listen(
    { handler: (request, response) => void handler(request, response), log, limits },
    { host: "127.0.0.1", port: 0 },
  )
  t.teardown(() => server.close())
  return { open: () => open(server.port), faults }
}

async function isWhole(request: IncomingMessage): Promise<boolean> {
  try {
    await finished(request.resume())
    return true
  } catch {
    return false
  }
}

function answersIn(text: string): Answer[] {
  return text.split(/(?<=\})(?=HTTP)/).map(readAnswer)
}

async function open(at = port): Promise<Socket> {
  const socket = connect(at, "127.0.0.1")
  socket.on("error", () => undefined)
  await once(socket, "connect")
  return socket
}

async function answerOf(socket: Socket): Promise<Answer> {
  return readAnswer(await textOf(socket))
}

/** All bytes until the other side closes. */
async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on("data", (chunk: Buffer) => chunks.push(chunk))
  if (!socket.closed) await once(socket, "close")
  return Buffer.concat(chunks).toString()
}

function readAnswer(text: string): Answer {
  const [head = "", body = ""] = text.split("\r\n\r\n")
  const [first = "", ...lines] = head.split("\r\n")
  const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]))
  const length = headers.get("content-length")
  if (length !== null && Number(length) !== Buffer.byteLength(body)) throw new Error(`cut off: ${text}`)
  return { status: Number(first.split(" ")[1]), headers, json: JSON.parse(body) as Json, text }
}

async function stillServes(after: string): Promise<void> {
  t.equal((await api.send("/livez")).status, 200, `serves on after ${after}`)
}

function broken(): number {
  return api.logged.filter(({ reason }) => reason === "HTTP_MALFORMED").length
}
