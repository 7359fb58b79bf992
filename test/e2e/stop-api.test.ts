// SIGTERM to the API: load balancers notice, requests are answered, and no client sees a reset connection.
import { once } from "node:events"
import { connect } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { signParams } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { isLong } from "../harness/long.ts"
import { LoopingClients } from "../harness/looping-clients.ts"
import { stampWith } from "../harness/stamper.ts"
import { System } from "../harness/system.ts"
import { wallet } from "./wallets.ts"

const CLIENTS = isLong ? 8 : 2

/** Settings of the API, as of its next start. */
const settings = { COUNTERSIGN_API_STOP_GRACE_SECONDS: "1" }
const { url } = await freshDatabase(t)
const system = await System.start(url, settings)
t.teardown(() => system.stop())
const acme = await system.createOrganization()
const address = await wallet(system, acme, "First")
let count = 0

function prepare() {
  const payload = { ...signParams(address), payload: (++count).toString(16).padStart(64, "0") }
  const body = system.body("SIGN_RAW_PAYLOAD_V2", acme.organizationId, payload)
  return {
    path: "/public/v1/submit/sign_raw_payload",
    body,
    headers: { "x-stamp": stampWith(acme.root, body) },
  }
}

/** Waits until a number of answers is greater than now. */
async function untilMore(count: () => number): Promise<void> {
  const before = count()
  while (count() <= before) await pause(5)
}

t.test(
  "a new process takes over the port of one that stops, and no request of clients under load is lost",
  async (t) => {
    const clients = new LoopingClients(CLIENTS, system.url, prepare)
    const answered = () => clients.answered(200)
    await untilMore(answered)
    const ended = system.terminate("api")
    const readyz = async () => (await system.send("/readyz", {})).status
    while ((await readyz()) !== 503) await pause(5)
    t.match(await system.send("/readyz", {}), { status: 503, json: { ready: false, process: /stopping/ } })
    await untilMore(answered)
    t.pass("within the grace requests are served")
    while (!clients.seen.some((each) => "refused" in each)) await pause(5)
    await system.startApi()
    t.equal(await ended, 0)
    await untilMore(answered)
    await clients.stop()
    t.same(clients.faults, [], "no reset, no answer in part")
    t.equal(answered(), clients.seen.filter((each) => "status" in each).length, "every answer was 200")
  },
)

t.test(
  "idle connections are ended without a reset, and a request that is half sent is answered",
  async (t) => {
    const open = async () => {
      const socket = connect(Number(new URL(system.url).port), "127.0.0.1")
      const connection = { socket, received: "", fault: "" }
      socket.on("error", ({ message }) => (connection.fault = message))
      socket.on("data", (bytes: Buffer) => (connection.received += bytes.toString()))
      await once(socket, "connect")
      return connection
    }
    const [idle, busy] = [await open(), await open()]
    idle.socket.write("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
    while (!idle.received.includes("live")) await pause(5)
    const { path, body, headers } = prepare()
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}`
    busy.socket.write(`${head}\r\nX-Stamp: ${headers["x-stamp"]}\r\n\r\n${body.slice(0, 10)}`)
    await system.send("/livez", {})
    const ended = system.terminate("api")
    while (await isListening(system.url)) await pause(5)
    const bothEnd = [once(idle.socket, "end"), once(busy.socket, "end")]
    busy.socket.write(body.slice(10))
    await Promise.all(bothEnd)
    t.match(busy.received, /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/is)
    t.match(idle.received, /"live":true}$/)
    t.same([idle.fault, busy.fault], ["", ""])
    t.equal(await ended, 0)
  },
)

t.test("a second signal ends the process at once", async (t) => {
  settings.COUNTERSIGN_API_STOP_GRACE_SECONDS = "300"
  await system.startApi()
  const ended = system.terminate("api")
  while ((await system.send("/readyz", {})).status !== 503) await pause(5)
  void system.terminate("api")
  t.equal(await ended, 128 + 15)
})

async function isListening(url: string): Promise<boolean> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}
