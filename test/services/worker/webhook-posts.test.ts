// Where notifications may go, and what becomes of them after an attempt.
import { readFileSync } from "node:fs"
import type { Socket } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import t from "tap"
import { Poster } from "../../../services/worker/webhooks/post.ts"
import { afterAttempt, pauseAfter } from "../../../services/worker/webhooks/schedule.ts"
import { TestAuthority } from "../../harness/certificates.ts"
import { webServer } from "../../harness/web-server.ts"

const DAY_MS = 24 * 3600 * 1000

t.test("W6: a name that leads inside is refused at each connection, and nothing is sent", async (t) => {
  const server = await webServer((_request, response) => response.end())
  t.teardown(() => server.close())
  const answers = [
    ["93.184.215.14", "10.0.0.1"],
    ["127.0.0.1"],
    ["169.254.169.254"],
    ["::1"],
    ["fd00::1"],
    ["::ffff:10.0.0.1"],
  ]
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return (answers[asked.length - 1] ?? []).map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }))
  }
  const poster = new Poster({ isLocal: false, timeoutMs: 5_000, resolve })
  t.teardown(() => poster.close())
  const refused = {
    isForbidden: true,
    fault: "the URL leads to an address that is not public: nothing was sent",
  }
  for (const addresses of [...answers, []])
    t.match(await poster.post("https://rebind.example.com/", {}, "{}"), refused, addresses.join())
  t.equal(asked.length, answers.length + 1, "every connection resolves anew")
  for (const url of [
    `http://127.0.0.1:${server.port}/`,
    `https://localhost:${server.port}/`,
    "https://[::1]/",
    "https://0x7f.1/",
    "http://hooks.example.com/",
    "file:///etc/passwd",
    "nonsense",
  ])
    t.match(await poster.post(url, {}, "{}"), { isForbidden: true }, url)
  t.equal(asked.length, answers.length + 1, "none of these was resolved")
  t.strictSame(server.asked, [])
})

t.test("W6: in development this host is reached, and no other private address", async (t) => {
  const server = await webServer((_request, response) => response.writeHead(302, { location: "/next" }).end())
  t.teardown(() => server.close())
  let address = "127.0.0.1"
  const resolve = async () => [{ address, family: 4 }]
  const poster = new Poster({ isLocal: true, timeoutMs: 5_000, resolve })
  t.teardown(() => poster.close())
  t.strictSame(await poster.post(`http://localhost:${server.port}/hook`, {}, "{}"), { status: 302 })
  t.strictSame(server.asked, ["/hook"], "a redirect is not followed")
  address = "10.0.0.1"
  for (const url of [
    "http://localhost:1/",
    "https://hooks.example.com/",
    "http://10.0.0.1/",
    "https://192.168.0.1/",
  ])
    t.match(await poster.post(url, {}, "{}"), { isForbidden: true }, url)
  address = "127.0.0.1"
  t.match(await poster.post("http://127.0.0.1:1/", {}, "{}"), {
    fault: /cannot be reached: ECONNREFUSED/,
    isForbidden: false,
  })
})

t.test("a receiver that does not answer, or cannot be reached, is a fault in words of ours", async (t) => {
  const server = await webServer(() => undefined)
  t.teardown(() => server.close())
  const resolve = async (host: string) => {
    if (host === "localhost") return [{ address: "127.0.0.1", family: 4 }]
    throw Object.assign(
      new Error(`text about ${host}`),
      host.startsWith("named") ? { code: "EAI_AGAIN" } : {},
    )
  }
  const poster = new Poster({ isLocal: true, timeoutMs: 500, resolve })
  t.teardown(() => poster.close())
  const faultOf = (url: string) => poster.post(url, {}, "{}")
  t.strictSame(await faultOf(`http://localhost:${server.port}/`), {
    fault: "the receiver did not answer in time",
    isForbidden: false,
  })
  for (const [host, fault] of [
    ["named.example.com", "the receiver cannot be reached: EAI_AGAIN"],
    ["other.example.com", "the receiver cannot be reached"],
  ])
    t.strictSame(await faultOf(`https://${host}/`), { fault, isForbidden: false })
})

t.test("of a reply 64 KiB are read, then its connection is used again; a longer one ends it", async (t) => {
  const connections = new Set<Socket>()
  let bytes = 64 * 1024
  const server = await webServer((request, response) => {
    connections.add(request.socket)
    if (bytes < Infinity) return response.end("x".repeat(bytes))
    const more = () => !response.destroyed && response.write("x".repeat(16 * 1024), () => setImmediate(more))
    return more()
  })
  t.teardown(() => server.close())
  // The system's resolver. A reply without end would hold the attempt for an hour.
  const poster = new Poster({ isLocal: true, timeoutMs: 3_600_000 })
  t.teardown(() => poster.close())
  const post = () => poster.post(`http://localhost:${server.port}/`, {}, "{}")
  t.strictSame(await post(), { status: 200 })
  t.strictSame(await post(), { status: 200 })
  t.equal(connections.size, 1, "one connection")
  bytes += 1
  t.strictSame(await post(), { status: 200 })
  bytes = Infinity
  t.strictSame(await post(), { status: 200 })
  t.equal(connections.size, 2, "what was too long is not used again")
})

t.test("the status counts, however the reply ends", async (t) => {
  const server = await webServer((_request, response) => {
    response.writeHead(503, { "content-length": "100" })
    response.write("half", () => response.destroy())
  })
  t.teardown(() => server.close())
  const poster = new Poster({ isLocal: true, timeoutMs: 60_000 })
  t.teardown(() => poster.close())
  t.strictSame(await poster.post(`http://localhost:${server.port}/`, {}, "{}"), { status: 503 })
})

t.test("https and http are reached, and closing ends the connections that are kept", async (t) => {
  const authority = await TestAuthority.create(t.testdir())
  const certificate = await authority.issue("receiver")
  const before = getCACertificates("default")
  setDefaultCACertificates([...before, readFileSync(certificate.caFile, "utf8")])
  t.teardown(() => setDefaultCACertificates(before))
  for (const [scheme, files] of [["http"], ["https", certificate]] as const) {
    const connections = new Set<Socket>()
    const server = await webServer(({ socket }, response) => {
      connections.add(socket)
      response.end()
    }, files)
    t.teardown(() => server.close())
    const poster = new Poster({ isLocal: true, timeoutMs: 60_000 })
    const post = () => poster.post(`${scheme}://localhost:${server.port}/`, {}, "{}")
    t.strictSame([await post(), await post()], [{ status: 200 }, { status: 200 }], scheme)
    t.equal(connections.size, 1, "one connection is kept")
    poster.close()
    await post()
    t.equal(connections.size, 2, "and closed")
    poster.close()
  }
})

t.test("an attempt ends a notification, retries it, or defers it", async (t) => {
  const nowMs = 10 * DAY_MS
  const after = (result: Parameters<typeof afterAttempt>[1], attempts = 0, ageMs = 0) =>
    afterAttempt({ id: "x", attempts, queuedMs: nowMs - ageMs, triedMs: null }, result, {
      nowMs,
      random: () => 0,
    })
  const down = { fault: "down", isForbidden: false }
  for (const status of [200, 201, 204, 299])
    t.match(after({ status }), { state: "DELIVERED", httpStatus: status })
  for (const status of [101, 199, 400, 401, 403, 405, 409, 411, 422, 451])
    t.match(after({ status }), { state: "DEAD" })
  for (const status of [408, 425, 429, 500, 502, 503, 599]) t.match(after({ status }), { state: "WAITING" })
  t.match(after({ fault: "inside", isForbidden: true }), { state: "DEAD", fault: "inside" })
  t.match(
    after(down, 1000, DAY_MS),
    { state: "WAITING" },
    "a day of outage keeps the order, and loses nothing",
  )
  t.match(after(down, 1000, 3 * DAY_MS), { state: "DEAD" })
  t.match(after({ status: 500 }, 3), { state: "WAITING" })
  t.match(after({ status: 500 }, 4), { state: "DEFERRED", retryMs: nowMs + 16_000 })
  t.match(after({ status: 500 }, 4, 3 * DAY_MS), { state: "DEAD" })
})

t.test("a receiver that is not at its URL is asked for an hour from the first attempt", async (t) => {
  const hourMs = 3600 * 1000
  const nowMs = 10 * DAY_MS
  const after = (status: number, triedMs: number | null, attempts = 1, ageMs = DAY_MS) =>
    afterAttempt(
      { id: "x", attempts, queuedMs: nowMs - ageMs, triedMs },
      { status },
      { nowMs, random: () => 0 },
    )
  for (const status of [300, 301, 302, 303, 307, 308, 399, 404, 410]) {
    t.match(
      after(status, null, 0),
      { state: "WAITING" },
      `${status}: it was queued a day ago, and not tried yet`,
    )
    t.match(after(status, nowMs - hourMs + 1), { state: "WAITING" })
    t.match(after(status, nowMs - hourMs + 1, 4), { state: "DEFERRED" })
    t.match(after(status, nowMs - hourMs), { state: "DEAD", httpStatus: status })
    t.match(after(status, null, 0, 3 * DAY_MS), { state: "DEAD" }, "and never longer than any other")
  }
  t.match(after(500, nowMs - hourMs), { state: "WAITING" }, "a receiver that is there has three days")
})

t.test("pauses double up to five minutes, and are shortened at random", async (t) => {
  const pauses = (random: () => number) =>
    [1, 2, 3, 9, 10, 1000].map((failures) => pauseAfter(failures, random))
  t.strictSame(
    pauses(() => 0),
    [1000, 2000, 4000, 256_000, 300_000, 300_000],
  )
  t.strictSame(
    pauses(() => 1),
    [500, 1000, 2000, 128_000, 150_000, 150_000],
  )
})
