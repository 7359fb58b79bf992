// Webhook endpoints over HTTP, and what a real HTTPS receiver gets from all processes.
import t, { type Test } from "tap"
import { requireResult } from "../contract/replies.ts"
import { apiKey, ethereumAccount, userParams } from "../harness/api-client.ts"
import { TestAuthority } from "../harness/certificates.ts"
import { freshDatabase } from "../harness/database.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { casesOf } from "../harness/long.ts"
import { newKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import { type Json, System } from "../harness/system.ts"
import { verified, WebhookReceiver } from "../harness/webhook-receiver.ts"
import { startWorker, until } from "../services/worker/start-worker.ts"
import { requireAnswered } from "./replies/asked-by.ts"

const NIL = "00000000-0000-4000-8000-000000000000"
const KEYS = "/public/v1/discovery/webhooks/jwks"

t.test("webhooks through all processes", async (t) => {
  const whole = t
  const { url, sql } = await freshDatabase(t)
  const authority = await TestAuthority.create(t.testdir())
  const receiver = await WebhookReceiver.open(authority)
  t.teardown(() => receiver.down())
  const system = await System.start(url, {}, { COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "true" })
  t.teardown(() => system.stop())
  const { caFile } = await authority.issue("unused")
  const workerSettings = {
    DATABASE_URL: url,
    COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: "true",
    COUNTERSIGN_WORKER_WEBHOOK_TIMEOUT_SECONDS: "1",
    NODE_EXTRA_CA_CERTS: caFile,
  }
  let worker = await startWorker(t, workerSettings)
  const api = await DocumentedApi.of(system)
  const { send, submit, query, refused, organizationId, root } = api
  const keySet = (await system.send(KEYS, {})).json

  const listed = async () => (await query("list_webhook_endpoints"))["webhookEndpoints"] as Json[]
  const endpoint = (path: string) => ({
    name: path,
    url: receiver.url(path),
    subscriptions: [{ eventType: "ACTIVITY_UPDATES" }],
  })
  const created = (path: string) => submit("CREATE_WEBHOOK_ENDPOINT", endpoint(path))
  const removed = (endpointId: unknown) => submit("DELETE_WEBHOOK_ENDPOINT", { endpointId })
  /** Sends one body until it is answered: the API may be without its database for a moment. */
  const tagged = async (name: string) => {
    const body = system.body("CREATE_USER_TAG", organizationId, { userTagName: name, userIds: [] })
    for (;;) {
      const { status, json } = await system.post("submit/create_user_tag", body, root)
      if (status !== 503) return requireResult(json, { type: "ACTIVITY_TYPE_CREATE_USER_TAG" })
    }
  }
  const tagsAt = (path: string) =>
    receiver.at(path, "ACTIVITY_TYPE_CREATE_USER_TAG").map(({ body }) => {
      const { createUserTagIntent } = body["intent"] as { createUserTagIntent: { userTagName: string } }
      return createUserTagIntent.userTagName
    })
  const states = async () =>
    Object.fromEntries(
      (
        await sql<{ state: string; count: number }[]>`
        select state, count(*)::int as count from webhook_deliveries group by state`
      ).map((row) => [row.state, row.count]),
    )

  t.test("the key set is served to anybody, with the times that published receivers expect", async (t) => {
    const reply = await system.send(KEYS, {})
    t.equal(
      reply.headers.get("cache-control"),
      "public, max-age=86400, s-maxage=86400, stale-if-error=604800",
    )
    const key = {
      kty: "OKP",
      crv: "Ed25519",
      alg: "EdDSA",
      use: "sig",
      kid: /^[0-9a-f]{32}$/,
      x: /^[\w-]{43}$/,
    }
    const names = { turnkey_signature_algorithm: "ed25519", turnkey_signature_version: "v1" }
    t.match(reply.json, { keys: [{ ...key, ...names }] })
  })

  t.test("endpoints are created, listed, changed and deleted", async (t) => {
    const made = await created("/one")
    const { endpointId } = made
    const shown = { ...endpoint("/one"), endpointId, organizationId, isActive: true }
    shown.subscriptions = [{ eventType: "ACTIVITY_UPDATES", isActive: true } as never]
    t.strictSame(made["webhookEndpoint"], shown)
    t.strictSame(await listed(), [shown])
    const changes = { endpointId, name: "renamed", isActive: false }
    const changed = await submit("UPDATE_WEBHOOK_ENDPOINT", changes)
    t.match(changed, { endpointId, webhookEndpoint: { name: "renamed", isActive: false } })
    t.match(await removed(endpointId), { endpointId })
    t.strictSame(await listed(), [])
    await refused("DELETE_WEBHOOK_ENDPOINT", { endpointId: NIL }, [404, 5])
    const balance = { ...endpoint("/x"), subscriptions: [{ eventType: "BALANCE_CONFIRMED_UPDATES" }] }
    const unnamed = await send("CREATE_WEBHOOK_ENDPOINT", balance)
    t.match(unnamed, { status: 400, json: { message: /CAIP-10/ } }, "balances are those of named addresses")
  })

  t.test("the feature's URL gets each activity, its own first, and a new URL replaces it", async (t) => {
    const set = (path: string) =>
      send("SET_ORGANIZATION_FEATURE", {
        name: "FEATURE_NAME_WEBHOOK",
        value: receiver.url(path),
      })
    const SET = "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE"
    const first = (await set("/old")).json["activity"] as Json
    await receiver.until(() => receiver.at("/old", SET).length === 1, "the activity that sets the URL")
    const [notification] = receiver.at("/old", SET)
    t.match(notification?.body, {
      id: first["id"],
      organizationId,
      status: "ACTIVITY_STATUS_COMPLETED",
      type: SET,
    })
    t.match(verified(notification!, keySet), { ok: true })
    const again = (await set("/new")).json["activity"] as Json
    t.not(again["id"], first["id"])
    await receiver.until(() => receiver.at("/new", SET).length === 1, "the replaced value")
    t.match(receiver.at("/new", SET)[0]?.body, { id: again["id"] })
    await tagged("after")
    await receiver.until(() => tagsAt("/new").includes("after"))
    t.equal(receiver.at("/old").length, 1, "the former URL gets nothing more")
    await submit("REMOVE_ORGANIZATION_FEATURE", {
      name: "FEATURE_NAME_WEBHOOK",
    })
  })

  t.test(
    "a notification for each request: of sub-organizations, refused, and once for a repeated body",
    async (t) => {
      const { endpointId } = await created("/all")
      const wallet = { walletName: "W", accounts: [ethereumAccount(0)] }
      const body = system.body("CREATE_WALLET", organizationId, wallet)
      const [one, two] = [
        await system.post("submit/create_wallet", body, root),
        await system.post("submit/create_wallet", body, root),
      ]
      t.strictSame(one.json["activity"], two.json["activity"])
      const eve = newKey()
      await submit("CREATE_USERS_V4", {
        users: [{ ...userParams("eve", eve), apiKeys: [apiKey(eve)] }],
      })
      await refused("CREATE_WALLET", { ...wallet, walletName: "Eve" }, [403, 7], { key: eve })
      const child = newKey()
      const sub = await submit("CREATE_SUB_ORGANIZATION_V7", subOrganization([{ name: "root", key: child }]))
      const subOrganizationId = String(sub["subOrganizationId"])
      await submit(
        "CREATE_WALLET",
        { ...wallet, walletName: "Sub" },
        { organizationId: subOrganizationId, key: child },
      )
      const wallets = () => receiver.at("/all", "ACTIVITY_TYPE_CREATE_WALLET")
      await receiver.until(() => wallets().length === 3, "wallets")
      t.same(
        new Set(wallets().map(({ body }) => `${String(body["organizationId"])} ${String(body["status"])}`)),
        new Set([
          `${organizationId} ACTIVITY_STATUS_COMPLETED`,
          `${organizationId} ACTIVITY_STATUS_FAILED`,
          `${subOrganizationId} ACTIVITY_STATUS_COMPLETED`,
        ]),
      )
      const ofSub = wallets().find(({ body }) => body["organizationId"] === subOrganizationId)
      t.match(ofSub?.headers, {
        "x-turnkey-organization-id": organizationId,
        "x-turnkey-event-type": "ACTIVITY_UPDATES",
        "x-turnkey-webhook-version": "1",
        "content-type": "application/json",
      })
      for (const one of receiver.at("/all")) t.match(verified(one, keySet), { ok: true })
      const ids = receiver.at("/all").map(({ headers }) => headers["x-turnkey-event-id"])
      t.equal(new Set(ids).size, ids.length, "each event has an id of its own")
      await removed(endpointId)
    },
  )

  /** Sends tags while `harm` lasts, and says how often each came. */
  async function counted(
    t: Test,
    path: string,
    names: string[],
    during: (send: () => Promise<void>) => Promise<void>,
  ) {
    const { endpointId } = await created(path)
    await during(async () => {
      for (const name of names) await tagged(name)
    })
    await receiver.until(() => names.every((name) => tagsAt(path).includes(name)), path)
    const tags = receiver.at(path, "ACTIVITY_TYPE_CREATE_USER_TAG")
    const firsts = new Map(tags.map(({ headers, body }) => [headers["x-turnkey-event-id"], body["id"]]))
    t.equal(firsts.size, names.length, "an event keeps its id in every attempt")
    for (const one of tags) t.match(verified(one, keySet), { ok: true })
    t.comment(`${path}: sent ${names.length}, received ${tags.length}, doubled ${tags.length - names.length}`)
    await removed(endpointId)
    return tagsAt(path)
  }

  t.test(
    "W7: a receiver that is down, slow, faulty or that resets loses nothing, and gets all in order",
    async (t) => {
      const namesAt = (path: string) => ["a", "b", "c"].map((name) => `${path} ${name}`)
      const down = await counted(t, "/down", namesAt("/down"), async (sendAll) => {
        await receiver.down()
        await sendAll()
        await receiver.up()
      })
      t.strictSame(down, namesAt("/down"))
      for (const [path, behaviour] of casesOf(2, [
        ["/500", 500],
        ["/slow", "silence"],
        ["/429", 429],
        ["/reset", "reset"],
      ] as const)) {
        let left = 2
        receiver.behave = (one) =>
          one.path === path && one.body["type"] === "ACTIVITY_TYPE_CREATE_USER_TAG" && left-- > 0
            ? behaviour
            : 200
        const [a, b, c] = namesAt(path)
        const got = await counted(t, path, namesAt(path), (sendAll) => sendAll())
        t.strictSame(got, [a, a, a, b, c], path)
      }
      receiver.behave = () => 200
    },
  )

  t.test(
    "W7: kill -9 of the worker and of the API, and lost connections to the database, lose nothing",
    async (t) => {
      const names = Array.from({ length: 12 }, (_, index) => `k${index}`)
      const got = await counted(t, "/killed", names, async () => {
        for (const [index, name] of names.entries()) {
          if (index === 3) receiver.behave = (one) => (one.path === "/killed" ? "silence" : 200)
          await tagged(name)
          if (index === 4) await worker.stop()
          if (index === 5) receiver.behave = () => 200
          if (index === 6) {
            await system.killApi()
            await system.startApi()
          }
          if (index === 7) worker = await startWorker(whole, workerSettings)
          if (index === 9)
            await sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`
        }
      })
      t.strictSame([...new Set(got)], names, "the first time of each in order")
    },
  )

  t.test("a notification that a receiver refuses for good is dead; later ones arrive", async (t) => {
    const before = (await states())["DEAD"] ?? 0
    receiver.behave = ({ path, body }) => {
      if (path !== "/final" || body["type"] !== "ACTIVITY_TYPE_CREATE_USER_TAG") return 200
      return { bad: 400, refused: 403, large: 413 }[tagsAt("/final").at(-1) ?? ""] ?? 204
    }
    const { endpointId } = await created("/final")
    for (const name of ["bad", "refused", "large", "good"]) await tagged(name)
    await receiver.until(() => tagsAt("/final").includes("good"))
    t.strictSame(tagsAt("/final"), ["bad", "refused", "large", "good"], "each once")
    receiver.behave = () => 200
    await removed(endpointId)
    t.equal(((await states())["DEAD"] ?? 0) - before, 3)
  })

  t.test("W6: a URL that was written into the database and leads inside is not dialled", async (t) => {
    const { endpointId } = await created("/inside")
    await sql`update webhook_targets set url = 'http://169.254.169.254/latest' where endpoint_id = ${String(endpointId)}`
    // It changes no document: a change writes the targets anew, from the document.
    t.equal((await send("CREATE_READ_ONLY_SESSION", {})).status, 200)
    const dead = async () => {
      const [row] = await sql<{ fault: string }[]>`
        select fault from webhook_deliveries where endpoint_id = ${String(endpointId)} and state = 'DEAD'`
      return row?.fault
    }
    await until(
      async () => (await dead()) !== undefined,
      () => "no dead delivery",
    )
    t.match(await dead(), /not public: nothing was sent/)
    await removed(endpointId)
  })

  requireAnswered(t, api, "webhook")
})
