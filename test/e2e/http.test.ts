import t from "tap"
import { queryPaths, submitPaths } from "../../proto/operations.ts"
import { queries } from "../../services/api/queries/index.ts"
import { requireActivity, requireError } from "../contract/replies.ts"
import { freshDatabase } from "../harness/database.ts"
import { casesOf } from "../harness/long.ts"
import { newKey } from "../harness/stamper.ts"
import { type Json, System } from "../harness/system.ts"

const WALLET = "ACTIVITY_TYPE_CREATE_WALLET"

t.test("the public interface", async (t) => {
  const { url: databaseUrl, sql } = await freshDatabase(t)
  const system = await System.start(databaseUrl)
  t.teardown(() => system.stop())
  const { organizationId, root } = await system.createOrganization()
  const parameters = { walletName: "First", accounts: [] }
  const body = system.body("CREATE_WALLET", organizationId, parameters)

  t.test("answers 501 with the operation's name before it reads stamp or body", async (t) => {
    const unserved = [
      ...[...submitPaths]
        .filter(([, entries]) => !entries.some(({ served }) => served))
        .map(([path]) => `submit/${path}`),
      ...[...queryPaths.keys()].filter((path) => !queries.has(path)).map((path) => `query/${path}`),
    ]
    t.comment(`${unserved.length} operations are declared and not served`)
    for (const path of unserved) {
      const { status, json, headers } = await system.send(`/public/v1/${path}`, {
        method: "POST",
        body: "}{",
      })
      const name = path.slice(path.indexOf("/") + 1)
      const error = requireError(json, 12)
      if (status !== 501 || !String(error["message"]).includes(name)) t.fail(`${path}: ${status}`)
      if (headers.get("content-type") !== "application/json")
        t.fail(`${path}: ${headers.get("content-type")}`)
    }
    const [served = ""] = queryPaths.keys()
    t.notSame((await system.send(`/public/v1/query/${served}`, { method: "POST", body: "}{" })).status, 501)
  })

  t.test("answers 404 to an unknown path and 405 to another method, as JSON", async (t) => {
    for (const path of ["/", "/public/v1/submit/fly", "/public/v1/query/", "/public/v2/query/whoami"]) {
      const { status, json, headers } = await system.send(path, { method: "POST", body: "}{" })
      t.equal(status, 404, path)
      t.equal(headers.get("content-type"), "application/json")
      requireError(json, 5)
    }
    const { status, json, headers } = await system.send("/public/v1/query/whoami", { method: "GET" })
    t.equal(status, 405)
    t.equal(headers.get("allow"), "POST, OPTIONS")
    requireError(json, 12)
  })

  t.test("allows pages of any origin, also in error replies", async (t) => {
    const asked = { "access-control-request-method": "POST", origin: "https://app.example" }
    const preflight = await system.send("/public/v1/submit/create_wallet", {
      method: "OPTIONS",
      headers: asked,
    })
    t.equal(preflight.status, 204)
    t.equal(preflight.headers.get("access-control-allow-origin"), "*")
    t.match(preflight.headers.get("access-control-allow-methods"), /POST/)
    for (const name of ["Content-Type", "X-Stamp", "X-Stamp-WebAuthn", "X-Client-Version"])
      t.match(preflight.headers.get("access-control-allow-headers"), name)
    t.equal(preflight.headers.get("access-control-allow-credentials"), null)
    const whoami = JSON.stringify({ organizationId })
    for (const key of [root, newKey()]) {
      const { headers } = await system.post("query/whoami", whoami, key, { origin: "https://app.example" })
      t.equal(headers.get("access-control-allow-origin"), "*")
    }
    const unknown = await system.send("/nowhere", { method: "POST" })
    t.equal(unknown.headers.get("access-control-allow-origin"), "*")
  })

  t.test("reads a body of any content type and replies application/json without charset", async (t) => {
    const whoami = JSON.stringify({ organizationId })
    for (const type of [
      "application/json",
      "text/plain;charset=UTF-8",
      "application/x-www-form-urlencoded",
      "x",
    ]) {
      const { status, headers } = await system.post("query/whoami", whoami, root, { "content-type": type })
      t.equal(status, 200, type)
      t.equal(headers.get("content-type"), "application/json")
    }
    const submitted = await system.post("submit/create_wallet", body, root)
    t.equal(submitted.headers.get("content-type"), "application/json")
  })

  t.test("writes an activity's times as strings, for published clients as objects", async (t) => {
    const ask = (headers: Record<string, string>) => system.post("submit/create_wallet", body, root, headers)
    for (const headers of [
      {},
      { "user-agent": "curl/8" },
      { "user-agent": "python-requests/2.34.2" },
    ] as Record<string, string>[])
      requireActivity((await ask(headers)).json, { type: WALLET, parameters, times: "string" })
    for (const headers of [
      { "x-client-version": "@turnkey/http@6.6.0" },
      { "x-client-version": "turnkey-python/0.2.2", "user-agent": "python-requests/2.34.2" },
      { "user-agent": "Go-http-client/1.1" },
      { "user-agent": "turnkey-rust-client/0.17.1" },
    ])
      requireActivity((await ask(headers)).json, { type: WALLET, parameters, times: "object" })
    const { json } = await ask({})
    const { activity } = json as { activity: { id: string; createdAt: string } }
    const asked = JSON.stringify({ organizationId, activityId: activity.id })
    const told = await system.post("query/get_activity", asked, root, { "x-client-version": "any" })
    const { createdAt } = (told.json as { activity: { createdAt: { seconds: string; nanos: string } } })
      .activity
    const ms = Number(createdAt.seconds) * 1000 + Number(createdAt.nanos) / 1e6
    t.equal(new Date(ms).toISOString(), activity.createdAt, "the same moment in both forms")
  })

  t.test("one body is one activity, also when sent fifty times at once", async (t) => {
    const once = system.body("CREATE_WALLET", organizationId, { walletName: "Once", accounts: [] })
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => system.post("submit/create_wallet", once, root)),
    )
    const ids = new Set(replies.map(({ json }) => (json as { activity: { id: string } }).activity?.id))
    t.equal(ids.size, 1)
    t.ok(replies.every(({ status }) => status === 200))
    const [count] = await sql`select count(*)::int as wallets from records where kind = 1`
    t.equal(count?.["wallets"], 2)
  })

  t.test("a denied activity is kept, and its body is denied again", async (t) => {
    const eve = newKey()
    const apiKeys = [{ apiKeyName: "k", publicKey: eve.publicKeyHex, curveType: "API_KEY_CURVE_P256" }]
    const user = { userName: "eve", apiKeys, authenticators: [], oauthProviders: [], userTags: [] }
    await system.submit(
      "create_users",
      system.body("CREATE_USERS_V4", organizationId, { users: [user] }),
      root,
    )
    const request = system.body("CREATE_WALLET", organizationId, { walletName: "Mine", accounts: [] })
    const [first, again] = [
      await system.post("submit/create_wallet", request, eve),
      await system.post("submit/create_wallet", request, eve),
    ]
    t.equal(first.status, 403)
    t.equal(again.status, 403)
    t.same(withoutRequest(again.json), withoutRequest(first.json))
    requireError(first.json, 7)
    const listed = await system.query(
      "list_activities",
      { organizationId, filterByStatus: ["ACTIVITY_STATUS_FAILED"] },
      root,
    )
    t.equal((listed.json["activities"] as unknown[]).length, 1)
  })
})

for (const form of casesOf(1, ["object", "string"] as const)) {
  t.test(`a setting forces times to be written as ${form}`, async (t) => {
    const { url: databaseUrl } = await freshDatabase(t)
    const system = await System.start(databaseUrl, { COUNTERSIGN_ACTIVITY_TIMES: form })
    t.teardown(() => system.stop())
    const { organizationId, root } = await system.createOrganization()
    const parameters = { walletName: "First", accounts: [] }
    const body = system.body("CREATE_WALLET", organizationId, parameters)
    for (const headers of [{}, { "x-client-version": "any" }] as Record<string, string>[]) {
      const { json } = await system.post("submit/create_wallet", body, root, headers)
      requireActivity(json, { type: WALLET, parameters, times: form })
    }
  })
}

/** An error without its last detail, which names the request. */
function withoutRequest(error: Json): Json {
  return { ...error, details: (error["details"] as Json[]).slice(0, -1) }
}
