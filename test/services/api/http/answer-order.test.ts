// Answers to broken requests keep their order on a connection with slow ones.
import type { IncomingMessage, ServerResponse } from "node:http"
import { finished } from "node:stream/promises"
import { setTimeout as wait } from "node:timers/promises"
import t from "tap"
import { HTTP_LIMITS } from "../../../../services/common/http-limits.ts"
import { listen } from "../../../../services/common/listen.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import type { Json } from "../start-api.ts"
import { type Answer, HOST, openSocket, readAnswer, textOf } from "./raw-requests.ts"

const SLOW_MS = 1500
const LATE_MS = 300
type Wait = () => Promise<unknown>
const SLOW = `GET /slow HTTP/1.1\r\n${HOST}\r\n`

t.jobs = 4

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
  const whole = Promise.withResolvers<void>()
  const { open, faults } = await slowServer(t, { slow: () => whole.promise, onWhole: whole.resolve })
  const socket = await open()
  socket.write(`${SLOW}POST /body HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\n{`)
  await wait(2 * LATE_MS)
  socket.write("}")
  const answers = answersIn(await textOf(socket))
  t.strictSame(
    answers.map(({ json }) => json),
    [{ path: "/slow" }, { path: "/body" }],
  )
  t.strictSame(faults, [], "no second answer")
})

/** Answers `/early` at once, `/slow` long after the request timeout, other paths once their body is complete. */
async function slowServer(
  t: { teardown(clean: () => Promise<void>): unknown },
  { slow = () => wait(SLOW_MS), onWhole = () => undefined }: { slow?: Wait; onWhole?: () => void } = {},
) {
  const faults: unknown[] = []
  const log = createLogger("test", "info", {
    write: (line: string) => faults.push((JSON.parse(line) as Json)["status"]),
  })
  const handler = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url: path } = request
    if (path === "/slow") await slow()
    if (path === "/body") {
      if (!(await isWhole(request))) return
      onWhole()
    }
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
  return { open: () => openSocket(server.port), faults }
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
