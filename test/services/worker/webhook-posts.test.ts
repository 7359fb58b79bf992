// Where notifications may go, and what becomes of them after an attempt.
import t from "tap"
import { Poster } from "../../../services/worker/webhooks/post.ts"
import { afterAttempt, pauseAfter } from "../../../services/worker/webhooks/schedule.ts"
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
  for (const addresses of [...answers, []])
    t.match(
      await poster.post("https://rebind.example.com/", {}, "{}"),
      { isForbidden: true },
      addresses.join(),
    )
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

t.test("an attempt ends a notification, lets it wait, or sets it aside", async (t) => {
  const nowMs = 10 * DAY_MS
  const after = (result: Parameters<typeof afterAttempt>[1], attempts = 0, ageMs = 0) =>
    afterAttempt({ id: "x", attempts, queuedMs: nowMs - ageMs }, result, { nowMs, random: () => 0 })
  const down = { fault: "down", isForbidden: false }
  for (const status of [200, 201, 204, 299])
    t.match(after({ status }), { state: "DELIVERED", httpStatus: status })
  for (const status of [101, 301, 302, 307, 400, 401, 404, 410, 422])
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
  t.match(after({ status: 500 }, 4), { state: "ASIDE", retryMs: nowMs + 16_000 })
  t.match(after({ status: 500 }, 4, 3 * DAY_MS), { state: "DEAD" })
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
