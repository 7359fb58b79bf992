import { connect } from "node:net"
import t from "tap"
import { queryPaths, submitPaths } from "../../../../proto/operations.ts"
import { replacementFor } from "../../../../services/common/not-served.ts"
import { storeOrganization, user } from "../documents.ts"
import { signBody, signed } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { FORMED, makeKey, stamp } from "../stamps.ts"

const api = await startApi(t)
const { send } = api
const key = makeKey()
const alice = user("alice", key)
await storeOrganization(api.sql, { users: [alice], rootQuorum: { threshold: 1, userIds: [alice.userId] } })

t.test("unknown paths and operations of later releases are answered before the stamp is read", async (t) => {
  t.match(await send("/nothing", { method: "POST" }), {
    status: 404,
    json: { code: 5, details: [{ "@type": /Help/ }] },
  })
  t.match(await send("/public/v1/submit/sign_raw_payload/", { method: "POST" }), { status: 404 })
  const [path] = [...submitPaths].find(([, entries]) => entries.every(({ served }) => !served)) ?? []
  if (path === undefined) return t.comment("every path is served in some version")
  const later = await send(`/public/v1/submit/${path}`, { method: "POST", body: "no JSON" })
  t.match(later, { status: 501, json: { code: 12, details: [{ "@type": /Help/ }] } })
  const sentence = `${path} is not implemented in this release: ${replacementFor(path)}; GET /docs/api of the API lists what is served`
  t.equal(later.json["message"], sentence)
})

t.test("a declared type of a served path that is not served answers 501", async (t) => {
  const body = JSON.stringify({ type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2" })
  const reply = await send("/public/v1/submit/create_sub_organization", {
    method: "POST",
    body,
    headers: FORMED,
  })
  t.match(reply, {
    status: 501,
    json: { code: 12, message: /create_sub_organization as .*: send ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_/ },
  })
})

t.test("an unknown path is shown as received, without control characters", async (t) => {
  const { send } = await startApi(t)
  const said = async (path: string) => String((await send(path, { method: "POST" })).json["message"])
  t.match(
    await said("//public/v1/query/whoami?secret"),
    /at this path, \/\/public\/v1\/query\/whoami\. Does the base URL end with a slash\?$/,
  )
  for (const base of ["/public/v1", "/wallets"])
    t.match(
      await said(`${base}/public/v1/query/whoami`),
      /whoami\. The base URL has no path: it ends with host/,
    )
  t.match(await said("/public/v2/query/whoami"), /, \/public\/v2\/query\/whoami; GET \/docs/)
  t.match(await said(`/${"a".repeat(5000)}`), /, \/a{199}…; GET \/docs/)
  t.notMatch(await said("/\u00e9\u001b[31m"), /[^\x20-\x7e]/)
})

t.test("a wrong method is refused in JSON", async (t) => {
  const reply = await send("/public/v1/query/whoami")
  t.match(reply, { status: 405, json: { code: 12, message: /POST/ } })
  t.equal(reply.headers.get("allow"), "POST, OPTIONS")
})

t.test("a body over the limit is answered 413 in JSON, sent at once or in parts", async (t) => {
  const body = "x".repeat(64 * 1024 + 1)
  const path = "/public/v1/submit/sign_raw_payload"
  t.match(await send(path, { method: "POST", body, headers: FORMED }), {
    status: 413,
    json: { code: 3, message: /65536/ },
  })
  const parts = new ReadableStream({
    start(controller) {
      for (let part = 0; part < 70; part++) controller.enqueue(Buffer.alloc(1024, "x"))
      controller.close()
    },
  })
  const streamed = { method: "POST", body: parts, headers: FORMED, duplex: "half" } as RequestInit
  t.match(await send(path, streamed), { status: 413, json: { code: 3 } })
  t.equal((await send("/livez")).status, 200)
})

t.test("an interrupted request does not affect others", async (t) => {
  const socket = connect(Number(new URL(api.url).port), "127.0.0.1")
  const half = "POST /public/v1/query/whoami HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"
  await new Promise((resolve) => socket.write(half, resolve))
  socket.destroy()
  t.equal((await send("/livez")).status, 200)
})

t.test("any content type is read as JSON", async (t) => {
  for (const type of ["text/plain", "application/octet-stream", ""]) {
    api.signer.answers.push(signed(alice.userId))
    const body = signBody(type)
    const headers = { "x-stamp": stamp(key, body), "content-type": type }
    const reply = await send("/public/v1/submit/sign_raw_payload", { method: "POST", body, headers })
    t.equal(reply.status, 200, type)
  }
})

t.test("any origin may call, errors included", async (t) => {
  const preflight = await send("/public/v1/submit/create_wallet", {
    method: "OPTIONS",
    headers: { origin: "https://a.b" },
  })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get("access-control-allow-origin"), "*")
  t.match(
    preflight.headers.get("access-control-allow-headers"),
    /X-Client-Version, X-Stamp, X-Stamp-WebAuthn, X-Stamp-Attested/,
  )
  t.match(preflight.headers.get("access-control-allow-methods"), /POST/)
  const error = await send("/public/v1/query/whoami", { method: "POST", body: "{}" })
  t.equal(error.status, 401)
  t.equal(error.headers.get("access-control-allow-origin"), "*")
})

t.test("a request id is generated, or taken from the request", async (t) => {
  t.match((await send("/livez")).headers.get("x-request-id"), /^[0-9a-f-]{36}$/)
  t.equal(
    (await send("/livez", { headers: { "x-request-id": "mine-1" } })).headers.get("x-request-id"),
    "mine-1",
  )
  const odd = await send("/livez", { headers: { "x-request-id": "not mine" } })
  t.match(odd.headers.get("x-request-id"), /^[0-9a-f-]{36}$/)
})

t.test("pages", async (t) => {
  const { send, service } = await startApi(t)
  t.match((await send("/version")).json, { name: "countersign", version: String })
  t.match(await send("/readyz"), {
    status: 503,
    json: { ready: false, database: "ok", signer: "ok", recovery: "waiting for the signer" },
  })
  await service.recover()
  t.match(await send("/readyz"), { status: 200, json: { ready: true } })
  const docs = await send("/docs/api")
  t.match(docs.headers.get("content-type"), /^text\/html/)
  const notServed = [
    ...[...submitPaths].filter(([, entries]) => entries.every(({ served }) => !served)).map(([path]) => path),
    ...[...queryPaths.values()].filter(({ served }) => !served).map(({ path }) => path),
  ]
  t.equal(docs.text.match(/Not served in this release/g)?.length ?? 0, notServed.length)
  t.equal((await send("/livez", { method: "HEAD" })).status, 200)
})
