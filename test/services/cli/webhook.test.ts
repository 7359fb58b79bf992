// `countersign webhook` against all processes: endpoints, deliveries, and the receiver for development.
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import t from "tap"
import { generateApiKey, readApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { listen } from "../../../services/cli/commands/webhook-listen.ts"
import { freshDatabase } from "../../harness/database.ts"
import { privateKeyHex, System } from "../../harness/system.ts"
import { startWorker, until } from "../worker/start-worker.ts"
import { commandLine } from "./command-line.ts"

t.test("webhook:", async (t) => {
  const { url } = await freshDatabase(t)
  const system = await System.start(url, {}, { COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "true" })
  t.teardown(() => system.stop())
  await startWorker(t, { DATABASE_URL: url, COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: "true" })
  const { organizationId, root } = await system.createOrganization()
  const environment = { COUNTERSIGN_DATA_DIR: t.testdir() }
  const folder = join(environment.COUNTERSIGN_DATA_DIR, "keys")
  const key = readApiKey(privateKeyHex(root))!
  await writeKey(folder, "root", key)
  await bindKey(folder, "root", organizationId)
  const at = ["--api", system.url, "--keys-folder", folder]
  const run = (...words: string[]) => commandLine(environment, "webhook", ...words, ...at)
  const json = async (...words: string[]) => {
    const { status, out, log } = await run(...words, "--json")
    if (status !== 0) throw new Error(log)
    return JSON.parse(out)
  }

  const received: { headers: NodeJS.Dict<string | string[]>; body: string }[] = []
  let answer = 200
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ headers: request.headers, body: (await buffer(request)).toString() })
    response.writeHead(answer).end()
  }
  const receiver = createServer((request, response) => void receive(request, response)).listen(0, "localhost")
  await once(receiver, "listening")
  t.teardown(() => receiver.close())
  const receiverUrl = `http://localhost:${(receiver.address() as AddressInfo).port}/`

  t.test("endpoints are created, found by id, its beginning and name, changed and deleted", async (t) => {
    const create = ["create", receiverUrl, "--name", "mine", "--event", "activity_updates"]
    const { status, fingerprint, result } = await json(...create)
    t.match({ status, fingerprint }, { status: "ACTIVITY_STATUS_COMPLETED", fingerprint: /^sha256:/ })
    const { endpointId } = result
    t.match(await run("list"), { status: 0, out: new RegExp(`^${endpointId} {2}active {2}mine`) })
    for (const name of [endpointId, endpointId.slice(0, 8), "mine"])
      t.match(await json("show", name), { endpointId, name: "mine", isActive: true })
    t.match(await run("update", "mine", "--pause"), {
      status: 0,
      out: new RegExp(`^${endpointId} {2}paused`),
    })
    t.match(await json("update", "mine", "--resume", "--name", "ours"), {
      result: { webhookEndpoint: { endpointId, isActive: true, name: "ours" } },
    })
    t.match(await run("update", "ours"), { status: 2, log: /nothing to change/ })
    t.match(await run("show", "nothing"), {
      status: 2,
      log: /there is no webhook endpoint “nothing”: there is /,
    })
    t.match(await run("create", "http://10.0.0.1/"), { status: 3, log: /https URL/ })
    t.match(await run("delete", "ours"), { status: 0, out: `deleted ${endpointId}` })
    t.match(await run("list"), { status: 0, out: "", log: /no endpoint/ })
  })

  t.test("C-1861: addresses and events of balances go together", async (t) => {
    const address = "eip155:1:0x000000000000000000000000000000000000dEaD"
    const create = ["create", receiverUrl, "--event", "balance_finalized_updates", "activity_updates"]
    const dry = await run(...create, "--address", address, "--dry-run")
    t.match(dry, { status: 0, out: /"filtersJson": *"\{\\"addresses\\":\[\\"eip155:1:0x0{36}dEaD/ })
    t.equal(dry.out.match(/filtersJson/g)?.length, 1, "activities have none")
    const together = { status: 2, log: /--address go together/ }
    t.match(await run(...create), together)
    t.match(await run("create", receiverUrl, "--address", address), together)
    t.match(await run(...create, "--address", address), { status: 3, log: /COUNTERSIGN_CHAINS/ })
  })

  t.test("a dry run of each change prints what would be stamped, and sends nothing", async (t) => {
    const { endpointId } = (await json("create", receiverUrl, "--name", "dry")).result
    const changes = [
      ["create", receiverUrl, "--name", "other"],
      ["update", "dry", "--pause"],
      ["redeliver", "dry", "--all-dead"],
      ["test", "dry"],
      ["delete", "dry"],
    ]
    const types = [
      "CREATE_WEBHOOK_ENDPOINT",
      "UPDATE_WEBHOOK_ENDPOINT",
      "REDELIVER_WEBHOOK_DELIVERIES",
      "SEND_WEBHOOK_TEST_EVENT",
      "DELETE_WEBHOOK_ENDPOINT",
    ]
    for (const [index, words] of changes.entries()) {
      const { status, out, log } = await run(...words, "--dry-run")
      t.match({ status, log }, { status: 0, log: /would stamp and send this to .*; nothing was sent/ })
      t.match(JSON.parse(out), { type: `ACTIVITY_TYPE_${types[index]}`, organizationId })
    }
    t.match(await run("list"), { out: new RegExp(`^${endpointId} {2}active {2}dry[^\\n]*$`) })
    t.match(await run("delete", "dry"), { status: 0 })
  })

  t.test("a change that needs a second vote says who may give it, and is one activity", async (t) => {
    const { organizationId: id, root: founder } = await system.createOrganization()
    const own = { COUNTERSIGN_DATA_DIR: t.testdir() }
    const keys = join(own.COUNTERSIGN_DATA_DIR, "keys")
    await writeKey(keys, "root", readApiKey(privateKeyHex(founder))!)
    await writeKey(keys, "bob", generateApiKey())
    for (const name of ["root", "bob"]) await bindKey(keys, name, id)
    const call = (...words: string[]) => commandLine(own, ...words, "--api", system.url)
    t.match(await call("user", "create", "bob", "--api-key", "bob"), { status: 0 })
    t.match(await call("org", "quorum", "--threshold", "2", "--user", "root", "--user", "bob"), { status: 0 })
    const create = ["webhook", "create", receiverUrl, "--name", "shared"]
    const { status, out, log } = await call(...create)
    t.match({ status, out }, { status: 4, out: "" })
    t.match(log, /may approve: bob\napprove: npx countersign approve [0-9a-f]{8} --as bob/)
    t.match(await call(...create), { status: 4, log: /^sends the request of [\d:]+ UTC again/ })
    const [, short = ""] = /sha256:([0-9a-f]{8})/.exec(log) ?? []
    t.match(await call("approve", short, "--as", "bob", "--yes"), { status: 0 })
    t.match(await call(...create), { status: 0, out: /active {2}shared/ })
    t.match((await call("webhook", "list")).out, /^[^\n]*shared[^\n]*$/, "there is one endpoint")
  })

  t.test("a test says how it ended, and deliveries are shown and sent again", async (t) => {
    const { endpointId } = (await json("create", receiverUrl, "--name", "mine")).result
    const { webhookDelivery } = await json("test", "mine")
    t.match(webhookDelivery, { status: "DELIVERED", httpStatus: 200, eventType: "WEBHOOK_TEST" })
    answer = 400
    t.match(await run("test", "mine"), { status: 1, log: /not delivered: it answered 400/ })
    answer = 200
    const dead = await json("deliveries", "mine", "--status", "dead")
    const { deliveryId } = dead.webhookDeliveries.find(
      (one: { eventType: string }) => one.eventType === "WEBHOOK_TEST",
    )
    t.match(await run("deliveries", "mine", "--event", "webhook_test", "--limit", "1"), {
      status: 0,
      out: new RegExp(`^${deliveryId} .*DEAD {2}HTTP 400$`),
    })
    t.match(await run("redeliver", "mine"), { status: 2, log: /--all-dead/ })
    t.match(await run("redeliver", "mine", "--all-dead"), {
      status: 0,
      out: /sending the dead deliveries again/,
    })
    const isSent = async () => (await json("delivery", deliveryId)).webhookDelivery.status === "DELIVERED"
    await until(isSent, () => "the dead one is sent again")
    const shown = await run("delivery", deliveryId)
    t.match(shown, { status: 0, out: /HTTP 400\n.*HTTP 200\n\{.*webhook:test/ })
    await run("delete", endpointId)
  })

  t.test("listen verifies and prints events, hands them on, and deletes its endpoint", async (t) => {
    received.length = 0
    const stop = new AbortController()
    const printed: string[] = []
    const logged: string[] = []
    const terminal = { print: (line: string) => printed.push(line), log: (line: string) => logged.push(line) }
    const client = { url: system.url, key: { ...key, name: "root" } }
    const folder = t.testdir()
    const files = {
      requestsFolder: join(folder, "requests"),
      keysFolder: join(folder, "keys"),
      pinsFile: join(folder, "pins.json"),
    }
    const stamping = { client, organizationId, terminal, ...files }
    const listening = listen({ forwardTo: receiverUrl }, stamping, stop.signal)
    await until(
      async () => received.length > 0,
      () => logged.join(),
    )
    const [first] = received
    t.match(first?.headers, {
      "x-turnkey-signature": /^[0-9a-f]{128}$/,
      "x-turnkey-event-type": "ACTIVITY_UPDATES",
    })
    t.match(JSON.parse(first?.body ?? ""), { type: "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT", organizationId })
    await until(
      async () => printed.length > 0,
      () => logged.join(),
    )
    t.match(printed[0], /ACTIVITY_UPDATES {2}ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT .*-> 200$/)
    const [, own = ""] = /listening at (\S+)/.exec(logged.join()) ?? []
    const count = received.length
    const forged = await fetch(own, { method: "POST", body: first?.body ?? "" })
    t.equal(forged.status, 401, "a request without signature")
    t.equal(received.length, count, "is not handed on")
    const signedHeaders = Object.entries(first?.headers ?? {}).filter(([name]) =>
      name.startsWith("x-turnkey-"),
    )
    const respelled = async (end: string) => {
      const headers = Object.fromEntries(signedHeaders.map(([name, value]) => [name, String(value)]))
      headers["x-turnkey-signature"] += end
      return (await fetch(own, { method: "POST", body: first?.body ?? "", headers })).status
    }
    t.equal(await respelled("zz"), 401, "a signature of another spelling")
    t.equal(await respelled(""), 200)
    stop.abort()
    await listening
    t.match(await run("list"), { status: 0, log: /no endpoint/ })
  })
})
