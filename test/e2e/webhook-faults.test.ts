// Webhooks under faults, with counts of sent, delivered and doubled: PostgreSQL that is killed, receivers that hold on, and
// sends on a real chain.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { startEmbeddedPostgres } from "../../services/dev/embedded-postgres.ts"
import { requireResult } from "../contract/replies.ts"
import { startAnvil } from "../harness/anvil.ts"
import { TestAuthority } from "../harness/certificates.ts"
import { isLong } from "../harness/long.ts"
import { type CreatedOrganization, type Json, System } from "../harness/system.ts"
import { verified, WebhookReceiver } from "../harness/webhook-receiver.ts"
import { startWorker, until } from "../services/worker/start-worker.ts"
import { EthereumSends } from "./sending.ts"

const KEYS = "/public/v1/discovery/webhooks/jwks"
const TO = "0x00000000000000000000000000000000000000aa"
/** The address whose balance is watched. */
const WATCHED = "0x00000000000000000000000000000000000000bb"

const chain = await startAnvil(t, { words: ["--no-mining"] })
const caip2 = `eip155:${chain.chainId}`
const token = `0x${"7c".repeat(20)}`

const directory = mkdtempSync(join(tmpdir(), "cs-killed-"))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))
const startDatabase = () => startEmbeddedPostgres({ directory, log: () => undefined })
let server = await startDatabase()
t.teardown(() => server.stop())

const { system, receiver, keySet, create } = await startWebhooks()

/** All processes with an HTTPS receiver, which the tests share: each has an organization of its own. */
async function startWebhooks() {
  const chains = {
    COUNTERSIGN_CHAINS: `${caip2}=${chain.url}`,
    COUNTERSIGN_TOKENS: `${caip2}/erc20:${token}=USDC:2`,
  }
  const { url } = server
  const authority = await TestAuthority.create(t.testdir())
  const receiver = await WebhookReceiver.open(authority)
  t.teardown(() => receiver.down())
  const system = await System.start(url, chains, { COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "true" })
  t.teardown(() => system.stop())
  await startWorker(t, {
    ...chains,
    DATABASE_URL: url,
    COUNTERSIGN_WORKER_BALANCE_SECONDS: "1",
    COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: "true",
    COUNTERSIGN_WORKER_WEBHOOK_TIMEOUT_SECONDS: "2",
    NODE_EXTRA_CA_CERTS: (await authority.issue("unused")).caFile,
  })
  const keySet = (await system.send(KEYS, {})).json
  const create = (owner: CreatedOrganization, path: string, ...subscription: [string?, object?]) => {
    const [eventType = "ACTIVITY_UPDATES", members = {}] = subscription
    return submitted(owner, "create_webhook_endpoint", {
      name: path,
      url: receiver.url(path),
      subscriptions: [{ eventType, ...members }],
    })
  }
  return { system, receiver, keySet, create }
}

/** Sends one body until it is answered: the API may be without its database for a moment. */
async function submitted(owner: CreatedOrganization, path: string, parameters: object) {
  const type = path.toUpperCase()
  const body = system.body(type, owner.organizationId, parameters)
  for (;;) {
    const { status, json } = await system.post(`submit/${path}`, body, owner.root)
    if (status < 500)
      return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
    await pause(100)
  }
}

const tag = (owner: CreatedOrganization, userTagName: string) =>
  submitted(owner, "create_user_tag", { userTagName, userIds: [] })

function tagsAt(path: string): string[] {
  return receiver.at(path, "ACTIVITY_TYPE_CREATE_USER_TAG").map(({ body }) => {
    const { createUserTagIntent } = body["intent"] as { createUserTagIntent: { userTagName: string } }
    return createUserTagIntent.userTagName
  })
}

t.test("W7: PostgreSQL that is killed, and starts again, loses no notification", async (t) => {
  const owner = await system.createOrganization()
  await create(owner, "/restarted")
  const names = Array.from({ length: isLong ? 12 : 8 }, (_, index) => `r${index}`)
  for (const [index, name] of names.entries()) {
    // Some wait while the server is killed: their receiver does not answer.
    if (index === 3) receiver.behave = ({ body }) => (JSON.stringify(body).includes('"r3"') ? "silence" : 200)
    if (index === 5) {
      await receiver.until(() => tagsAt("/restarted").includes("r3"), "an attempt is under way")
      process.kill(server.pid, "SIGKILL")
      await server.exited
      server = await startDatabase()
      receiver.behave = () => 200
    }
    await tag(owner, name)
  }
  await receiver.until(() => names.every((name) => tagsAt("/restarted").includes(name)), "all tags")
  const got = tagsAt("/restarted")
  t.strictSame([...new Set(got)], names, "the first time of each in order")
  t.ok(got.filter((name) => name === "r3").length > 1, "the attempt under way is repeated")
  const events = receiver.at("/restarted", "ACTIVITY_TYPE_CREATE_USER_TAG")
  t.equal(new Set(events.map(({ headers }) => headers["x-turnkey-event-id"])).size, names.length)
  for (const one of events) t.match(verified(one, keySet), { ok: true })
  t.comment(`sent ${names.length}, delivered ${got.length}, doubled ${got.length - names.length}`)
})

t.test(
  "statuses of a send on a real chain are delivered to the endpoint that subscribes to them",
  async (t) => {
    const owner = await system.createOrganization()
    await create(owner, "/sends", "SEND_TRANSACTION_STATUS_UPDATES")
    const client = new EthereumSends(system, owner, chain)
    const from = await client.account()
    const sendTransactionStatusId = await client.statusId(client.body({ from, to: TO, value: "5" }))
    const statuses = () => receiver.at("/sends").map(({ body }) => (body["msg"] as Json)["status"])
    await receiver.until(() => statuses().includes("BROADCASTING"), "the broadcast")
    await chain.call("anvil_mine")
    const { eth } = (await client.ended(sendTransactionStatusId)) as { eth: { txHash: string } }
    await receiver.until(() => statuses().includes("INCLUDED"), "the end of the send")
    t.strictSame(statuses(), ["BROADCASTING", "INCLUDED"], "in order, and nothing else")
    const { organizationId } = owner
    for (const one of receiver.at("/sends")) {
      t.equal(one.headers["x-turnkey-event-type"], "SEND_TRANSACTION_STATUS_UPDATES")
      t.match(verified(one, keySet), { ok: true })
      t.match(one.body, {
        type: "transaction:status",
        organizationId,
        parentOrganizationId: "",
        msg: { sendTransactionStatusId, caip2: client.caip2, timestamp: Number },
      })
    }
    t.match(receiver.at("/sends").at(-1)?.body, { msg: { txHash: eth.txHash } })
  },
)

t.test(
  "C-1861: a deposit to a registered address on a real chain is one signed notification, and can be sent again",
  async (t) => {
    const sql = connectDatabase({ url: server.url })
    t.teardown(() => closeDatabase(sql))
    const owner = await system.createOrganization()
    const { organizationId } = owner
    const filtersJson = JSON.stringify({ addresses: [`${caip2}:${WATCHED}`] })
    const made = await create(owner, "/balances", "BALANCE_CONFIRMED_UPDATES", { filtersJson })
    const endpointId = String(made["endpointId"])
    const { json } = await system.query("list_webhook_endpoints", { organizationId }, owner.root)
    t.match(json, { webhookEndpoints: [{ subscriptions: [{ filtersJson }] }] })
    const { json: listed } = await system.query(
      "list_supported_assets",
      { organizationId, caip2 },
      owner.root,
    )
    t.match(listed, { assets: [{}, { caip19: `${caip2}/erc20:${token}`, symbol: "USDC", decimals: 2 }] })
    await until(
      async () => (await sql`select from balance_watches where balances is not null`).count === 1,
      () => "no balance was read",
    )
    await chain.call("anvil_setBalance", WATCHED, "0x2a")
    await chain.call("anvil_mine")
    await receiver.until(() => receiver.at("/balances").length > 0, "the deposit")
    const [one] = receiver.at("/balances")
    t.equal(one?.headers["x-turnkey-event-type"], "BALANCE_CONFIRMED_UPDATES")
    t.match(verified(one!, keySet), { ok: true })
    t.match(one?.body, {
      type: "balances:confirmed",
      organizationId,
      msg: {
        operation: "deposit",
        caip2,
        address: WATCHED,
        balance: "42",
        asset: { caip19: `${caip2}/slip44:60`, amount: "42" },
      },
    })
    const deliveryId = one?.headers["x-turnkey-event-id"]
    await submitted(owner, "redeliver_webhook_deliveries", { endpointId, deliveryIds: [deliveryId] })
    await receiver.until(() => receiver.at("/balances").length > 1, "the same one again")
    t.equal(receiver.at("/balances")[1]?.headers["x-turnkey-event-id"], deliveryId)
    const elsewhere = system.body("CREATE_WEBHOOK_ENDPOINT", organizationId, {
      name: "elsewhere",
      url: receiver.url("/elsewhere"),
      subscriptions: [
        { eventType: "BALANCE_FINALIZED_UPDATES", filtersJson: filtersJson.replace(caip2, "eip155:5") },
      ],
    })
    const refused = await system.post("submit/create_webhook_endpoint", elsewhere, owner.root)
    t.match(refused, { status: 400, json: { message: /eip155:5.*COUNTERSIGN_CHAINS/ } })
    t.match(JSON.stringify(refused.json), /subscriptions\[0\].filtersJson/)
    await submitted(owner, "delete_webhook_endpoint", { endpointId })
    t.equal((await sql`select from balance_watches`).count, 0)
  },
)

t.test("an organization whose receivers hold on does not hold up another one", async (t) => {
  const [slow, quick] = [await system.createOrganization("Slow"), await system.createOrganization("Quick")]
  const isSlow = ({ path }: { path: string }) => path.startsWith("/slow")
  // Paths at which a request is open.
  const open = new Set<string>()
  let mostOpen = 0
  receiver.behave = (notification) => {
    if (!isSlow(notification)) return 200
    open.add(notification.path)
    mostOpen = Math.max(mostOpen, open.size)
    // The worker gives up after two seconds.
    setTimeout(() => open.delete(notification.path), 1_000)
    return "silence"
  }
  const ENDPOINTS = isLong ? 20 : 6
  for (let index = 0; index < ENDPOINTS; index++) await create(slow, `/slow/${index}`)
  await create(quick, "/quick")
  const names = Array.from({ length: isLong ? 20 : 4 }, (_, index) => `q${index}`)
  for (const name of names) {
    await tag(slow, name)
    await tag(quick, name)
  }
  await receiver.until(() => names.every((name) => tagsAt("/quick").includes(name)), "the quick ones")
  t.strictSame(tagsAt("/quick"), names, "in order, each once")
  t.ok(receiver.received.some(isSlow), "meanwhile the slow ones were tried")
  t.ok(mostOpen <= 4, `the slow organization has ${mostOpen} receivers served at a time, of ${ENDPOINTS}`)
  // Afterwards nothing of the slow organization is lost.
  receiver.behave = () => 200
  const isWhole = async () =>
    Array.from({ length: ENDPOINTS }, (_, index) => tagsAt(`/slow/${index}`)).every((tags) =>
      names.every((name) => tags.includes(name)),
    )
  await until(isWhole, () => "the slow ones get all")
  t.pass("all are delivered")
})
