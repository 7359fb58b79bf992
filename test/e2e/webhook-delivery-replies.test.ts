// Deliveries of webhooks over HTTP: list, show, send again, test. A real HTTPS receiver and all processes.
import t from "tap"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { requireResult } from "../contract/replies.ts"
import { apiKey, userParams } from "../harness/api-client.ts"
import { TestAuthority } from "../harness/certificates.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { freePort } from "../harness/free-port.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import type { Json } from "../harness/system.ts"
import { verified, WebhookReceiver } from "../harness/webhook-receiver.ts"
import { startWorker, until } from "../services/worker/start-worker.ts"
import { requireAnswered } from "./replies/asked-by.ts"

const UNKNOWN = "00000000-0000-4000-8000-000000000000"
const NIL = "00000000-0000-0000-0000-000000000000"

type Delivery = Json & { deliveryId: string; status: string; attemptCount: number; httpStatus?: number }

t.test("deliveries of webhooks:", async (t) => {
  const system = await sharedSystem()
  const { databaseUrl: url } = system
  const sql = connectDatabase({ url }, { max: 1 })
  t.teardown(() => closeDatabase(sql))
  const authority = await TestAuthority.create(t.testdir())
  const receiver = await WebhookReceiver.open(authority)
  t.teardown(() => receiver.down())
  const { caFile } = await authority.issue("unused")
  const metricsPort = await freePort()
  await startWorker(t, {
    DATABASE_URL: url,
    COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: "true",
    COUNTERSIGN_WORKER_WEBHOOK_TIMEOUT_SECONDS: "1",
    COUNTERSIGN_WORKER_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    NODE_EXTRA_CA_CERTS: caFile,
  })
  const api = await DocumentedApi.of(system)
  const { send, submit, ask, query, refused, organizationId, root } = api
  const keySet = (await system.send("/public/v1/discovery/webhooks/jwks", {})).json

  const listed = async (parameters: object = {}) =>
    (await query("list_webhook_deliveries", parameters))["webhookDeliveries"] as Delivery[]
  const shown = async (deliveryId: string) => {
    const reply = await query("get_webhook_delivery", { deliveryId })
    return {
      ...reply,
      delivery: reply["webhookDelivery"] as Delivery,
      attempts: reply["attempts"] as Json[],
    }
  }
  const created = async (path: string) => {
    const subscriptions = [{ eventType: "ACTIVITY_UPDATES" }]
    const made = await submit("CREATE_WEBHOOK_ENDPOINT", {
      name: path,
      url: receiver.url(path),
      subscriptions,
    })
    return String(made["endpointId"])
  }
  const tagged = (userTagName: string) => submit("CREATE_USER_TAG", { userTagName, userIds: [] })
  const reached = (isReached: () => Promise<boolean>, what: string) => until(isReached, () => what)
  const settled = (endpointId: string) =>
    reached(
      async () => (await listed({ endpointId, filterByStatus: ["PENDING"] })).length === 0,
      "all deliveries end",
    )
  const tagsAt = (path: string) => receiver.at(path, "ACTIVITY_TYPE_CREATE_USER_TAG")
  const eventsAt = (path: string) => receiver.at(path).map(({ headers }) => headers["x-turnkey-event-id"])

  t.test("deliveries are listed by endpoint, status and kind of event, page by page", async (t) => {
    const endpointId = await created("/listed")
    for (const name of ["a", "b", "c"]) await tagged(name)
    await settled(endpointId)
    const all = await listed({ endpointId, paginationOptions: { limit: "100" } })
    t.strictSame(all.map(({ deliveryId }) => deliveryId).toReversed(), eventsAt("/listed"), "newest first")
    for (const one of all)
      t.match(one, {
        organizationId,
        endpointId,
        eventOrganizationId: organizationId,
        eventType: "ACTIVITY_UPDATES",
        status: "DELIVERED",
        attemptCount: 1,
        httpStatus: 200,
      })
    const ids = all.map(({ deliveryId }) => deliveryId)
    const page = async (paginationOptions: object) =>
      (await listed({ endpointId, paginationOptions })).map(({ deliveryId }) => deliveryId)
    t.strictSame(await page({ limit: "2" }), ids.slice(0, 2))
    t.strictSame(await page({ limit: "2", after: ids[1] }), ids.slice(2, 4))
    t.strictSame(await page({ limit: "2", before: ids[3] }), ids.slice(1, 3))
    t.strictSame(await listed({ endpointId, filterByStatus: ["DEAD", "PENDING"] }), [])
    t.strictSame(await listed({ endpointId, filterByEventType: ["WEBHOOK_TEST"] }), [])
    t.strictSame(await listed({ endpointId: UNKNOWN }), [])
    const cursor = { paginationOptions: { after: UNKNOWN } }
    t.match(await ask("list_webhook_deliveries", cursor), {
      status: 400,
      json: { message: /paginationOptions\.after/ },
    })
    const foreign = await system.createOrganization("Other")
    const asked = { organizationId: foreign.organizationId, deliveryId: ids[0] }
    await refused("get_webhook_delivery", asked, [404, 5], { key: foreign.root })
    await submit("DELETE_WEBHOOK_ENDPOINT", { endpointId })
  })

  t.test("a test reaches its endpoint alone, with a signature, and its attempts are shown", async (t) => {
    const [endpointId, other] = [await created("/test"), await created("/other")]
    let left = 2
    receiver.behave = ({ path, body }) =>
      path === "/test" && body["type"] === "webhook:test" && left-- > 0 ? 503 : 200
    const body = system.body("SEND_WEBHOOK_TEST_EVENT", organizationId, {
      endpointId: endpointId.toUpperCase(),
    })
    const first = await system.post("submit/send_webhook_test_event", body, root)
    const again = await system.post("submit/send_webhook_test_event", body, root)
    t.strictSame(again.json, first.json, "a repeated body is one test")
    const result = requireResult(first.json, { type: "ACTIVITY_TYPE_SEND_WEBHOOK_TEST_EVENT" })
    const deliveryId = String(result["deliveryId"])
    await settled(endpointId)
    const tests = receiver.received.filter(({ headers }) => headers["x-turnkey-event-id"] === deliveryId)
    t.equal(tests.length, 3)
    for (const one of tests) {
      t.equal(one.path, "/test")
      t.equal(one.headers["x-turnkey-event-type"], "WEBHOOK_TEST")
      t.match(one.body, {
        type: "webhook:test",
        organizationId,
        parentOrganizationId: "",
        msg: { endpointId, timestamp: Number },
      })
      t.match(verified(one, keySet), { ok: true, eventId: deliveryId })
    }
    const { delivery, attempts, ...rest } = await shown(deliveryId)
    t.match(delivery, { status: "DELIVERED", attemptCount: 3, httpStatus: 200, eventType: "WEBHOOK_TEST" })
    t.match(attempts, [{ httpStatus: 503 }, { httpStatus: 503 }, { httpStatus: 200 }])
    t.equal((rest as Json)["body"], tests[0]?.raw, "the body that was sent")
    receiver.behave = () => 200
    await refused("SEND_WEBHOOK_TEST_EVENT", { endpointId: UNKNOWN }, [404, 5])
    const none = await send("SEND_WEBHOOK_TEST_EVENT", { endpointId: NIL })
    t.match(none, { status: 404, json: { message: /FEATURE_NAME_WEBHOOK/ } })
    for (const id of [endpointId, other]) await submit("DELETE_WEBHOOK_ENDPOINT", { endpointId: id })
  })

  t.test("dead deliveries are sent again, one or all of an endpoint, once for a repeated body", async (t) => {
    const endpointId = await created("/dead")
    await settled(endpointId)
    receiver.behave = ({ path }) => (path === "/dead" ? 403 : 200)
    for (const name of ["d", "e", "f"]) await tagged(name)
    await reached(
      async () => (await listed({ endpointId, filterByStatus: ["DEAD"] })).length === 3,
      "three dead",
    )
    const dead = (await listed({ endpointId, filterByStatus: ["DEAD"] })).toReversed()
    t.match(dead, [{ httpStatus: 403 }, { httpStatus: 403 }, { httpStatus: 403 }])
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    t.match(metrics, /countersign_worker_webhook_deliveries\{delivery="dead"\} [1-9]/)
    t.match(metrics, /countersign_worker_webhook_deliveries\{delivery="waiting"\} \d+/)
    t.match(metrics, /countersign_worker_webhook_oldest_seconds [\d.]+/)
    receiver.behave = () => 200
    const before = tagsAt("/dead").length

    const one = String(dead[1]?.deliveryId)
    await submit("REDELIVER_WEBHOOK_DELIVERIES", { endpointId, deliveryIds: [one.toUpperCase()] })
    await reached(async () => (await shown(one)).delivery.status === "DELIVERED", "one is sent again")
    const { delivery, attempts } = await shown(one)
    t.match(delivery, { attemptCount: 1, httpStatus: 200 })
    t.match(attempts, [{ httpStatus: 403 }, { httpStatus: 200 }], "the earlier attempt stays")
    t.equal(tagsAt("/dead").length, before + 1, "no other one is sent")

    const body = system.body("REDELIVER_WEBHOOK_DELIVERIES", organizationId, { endpointId, deliveryIds: [] })
    const first = await system.post("submit/redeliver_webhook_deliveries", body, root)
    t.strictSame((await system.post("submit/redeliver_webhook_deliveries", body, root)).json, first.json)
    // The worker takes them up by itself: until then they are dead, and nothing waits.
    await reached(
      async () => (await listed({ endpointId, filterByStatus: ["DEAD"] })).length === 0,
      "none is dead",
    )
    await settled(endpointId)
    const sent = tagsAt("/dead").slice(before)
    t.strictSame(
      sent.map(({ headers }) => headers["x-turnkey-event-id"]),
      [one, dead[0]?.deliveryId, dead[2]?.deliveryId],
      "each once, in order, with the id of before",
    )
    for (const notification of sent) t.match(verified(notification, keySet), { ok: true })

    const other = await created("/unlike")
    await settled(other)
    const [ofOther] = await listed({ endpointId: other })
    const wrong = { endpointId, deliveryIds: [String(ofOther?.deliveryId)] }
    t.match(await send("REDELIVER_WEBHOOK_DELIVERIES", wrong), {
      status: 404,
      json: { message: /list_webhook_deliveries/ },
    })
    for (const id of [endpointId, other]) await submit("DELETE_WEBHOOK_ENDPOINT", { endpointId: id })
  })

  t.test("the URL of the feature is tested and sent to again by the nil UUID", async (t) => {
    await submit("SET_ORGANIZATION_FEATURE", {
      name: "FEATURE_NAME_WEBHOOK",
      value: receiver.url("/feature"),
    })
    await settled(NIL)
    const { deliveryId } = (await submit("SEND_WEBHOOK_TEST_EVENT", { endpointId: NIL })) as {
      deliveryId: string
    }
    await settled(NIL)
    t.match(await shown(deliveryId), { delivery: { status: "DELIVERED" } })
    await submit("REDELIVER_WEBHOOK_DELIVERIES", { endpointId: NIL, deliveryIds: [deliveryId] })
    await reached(async () => (await shown(deliveryId)).attempts.length === 2, "sent again")
    await submit("REMOVE_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_WEBHOOK" })
  })

  t.test(
    "W6: a redelivery and a test go to the checked URL of now, and a read-only session sends none",
    async (t) => {
      const endpointId = await created("/before")
      await settled(endpointId)
      const [first] = await listed({ endpointId })
      const deliveryId = String(first?.deliveryId)
      await submit("UPDATE_WEBHOOK_ENDPOINT", { endpointId, url: receiver.url("/after") })
      await submit("REDELIVER_WEBHOOK_DELIVERIES", { endpointId, deliveryIds: [deliveryId] })
      await receiver.until(() => eventsAt("/after").includes(deliveryId), "the URL of now")

      const eve = newKey()
      await submit("CREATE_USERS_V4", { users: [{ ...userParams("eve", eve), apiKeys: [apiKey(eve)] }] })
      const { session } = await submit("CREATE_READ_ONLY_SESSION", {})
      const token = String(session)
      await settled(endpointId)
      const count = receiver.at("/after").length
      for (const type of ["SEND_WEBHOOK_TEST_EVENT", "REDELIVER_WEBHOOK_DELIVERIES"]) {
        const parameters = type.startsWith("SEND")
          ? { endpointId }
          : { endpointId, deliveryIds: [deliveryId] }
        await refused(type, parameters, [403, 7], { key: eve })
        const body = system.body(type, organizationId, parameters)
        const unstamped = { method: "POST", body, headers: { "x-session": token } }
        t.ok((await system.send(`/public/v1/submit/${type.toLowerCase()}`, unstamped)).status >= 400)
      }
      const read = await system.send("/public/v1/query/get_webhook_delivery", {
        method: "POST",
        body: JSON.stringify({ organizationId, deliveryId }),
        headers: { "x-session": token },
      })
      t.equal(read.status, 200, "a read-only session reads")
      await settled(endpointId)
      // The two denials of Eve are activities, and are notified; nothing else went out.
      const types = receiver
        .at("/after")
        .slice(count)
        .map(({ body }) => body["status"])
      t.strictSame(types, ["ACTIVITY_STATUS_FAILED", "ACTIVITY_STATUS_FAILED"])

      await sql`update webhook_targets set url = 'http://169.254.169.254/latest' where endpoint_id = ${endpointId}`
      const { deliveryId: test } = (await submit("SEND_WEBHOOK_TEST_EVENT", { endpointId })) as {
        deliveryId: string
      }
      await reached(async () => (await shown(test)).delivery.status === "DEAD", "an internal URL is dead")
      t.match(await shown(test), { attempts: [{ error: /not public: nothing was sent/ }] })
      await submit("DELETE_WEBHOOK_ENDPOINT", { endpointId })
    },
  )

  requireAnswered(t, api, "webhook-delivery")
})
