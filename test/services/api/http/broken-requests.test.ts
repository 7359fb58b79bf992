// Invalid HTTP is answered in JSON with code, message and details, and the service continues.
import { once } from "node:events"
import t from "tap"
import { HTTP_LIMITS, MAX_HEADER_BYTES } from "../../../../services/common/http-limits.ts"
import { requireError } from "../../../contract/replies.ts"
import { type Json, startApi } from "../start-api.ts"
import { type Answer, answerOf, HOST, openSocket, readAnswer, textOf, WHOAMI } from "./raw-requests.ts"

const INVALID_ARGUMENT = 3
const DEADLINE_EXCEEDED = 4
const UNIMPLEMENTED = 12

t.jobs = 4
const api = await startApi(t)
const port = Number(new URL(api.url).port)
const open = (at = port) => openSocket(at)

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

async function stillServes(after: string): Promise<void> {
  t.equal((await api.send("/livez")).status, 200, `serves on after ${after}`)
}

function broken(): number {
  return api.logged.filter(({ reason }) => reason === "HTTP_MALFORMED").length
}
