import t from "tap"
import { proxyPaths } from "../../../proto/proxy-operations.ts"
import { PROXY_CONFIG_HEADER, PROXY_PREFIX } from "../../contract/tables/wire.ts"
import { startProxy } from "./start-proxy.ts"

const ORIGIN = "https://login.example"

t.test("every operation of the catalog is served, and asks for its configuration first", async (t) => {
  const { send } = await startProxy(t)
  for (const { path, served } of proxyPaths.values()) {
    t.ok(served, path)
    const reply = await send(PROXY_PREFIX + path, { method: "POST", body: "}{" })
    t.match(
      reply,
      { status: 400, json: { code: 3, message: /^missing X-Auth-Proxy-Config-Id header/ } },
      path,
    )
  }
})

t.test("an unknown path is 404 and another method 405, as JSON", async (t) => {
  const { send } = await startProxy(t)
  for (const path of ["/", "/v1/", "/v1/fly", "/v2/signup", "/signup", "/v1/signup/"]) {
    const { status, json } = await send(path, { method: "POST" })
    t.equal(status, 404, path)
    t.match(
      json,
      { code: 5, message: /no operation at this path.*GET \/docs\/api/, details: [{ "@type": /Help/ }] },
      path,
    )
  }
  const wrongHost = await send("/public/v1/query/whoami", { method: "POST" })
  const message =
    /\/public\/v1\/query\/whoami; this is the auth proxy; the API is at the address in COUNTERSIGN_API_LISTEN/
  t.match(wrongHost, { status: 404, json: { code: 5, message } })
  const read = await send("/v1/signup")
  t.match(read, {
    status: 405,
    json: { code: 12, message: "signup is called with POST", details: [{ "@type": /Help/ }] },
  })
  t.equal(read.headers.get("allow"), "POST, OPTIONS")
  const written = await send("/livez", { method: "POST" })
  t.match(written, { status: 405, json: { code: 12, message: "livez is called with GET" } })
})

t.test("a preflight of any origin is allowed; replies and errors name the origin", async (t) => {
  const { send } = await startProxy(t)
  const preflight = await send("/v1/otp_init", {
    method: "OPTIONS",
    headers: { origin: ORIGIN, "access-control-request-method": "POST" },
  })
  t.equal(preflight.status, 204)
  t.equal(preflight.headers.get("access-control-allow-origin"), ORIGIN)
  t.equal(preflight.headers.get("vary"), "Origin")
  t.match(preflight.headers.get("access-control-allow-methods"), /POST/)
  for (const name of ["Content-Type", PROXY_CONFIG_HEADER, "X-Captcha-Token", "X-Client-Version"])
    t.match(preflight.headers.get("access-control-allow-headers"), name)
  t.equal(preflight.headers.get("access-control-allow-credentials"), null)
  for (const path of ["/v1/wallet_kit_config", "/v1/fly"]) {
    const { headers } = await send(path, { method: "POST", headers: { origin: ORIGIN } })
    t.equal(headers.get("access-control-allow-origin"), ORIGIN, path)
    t.equal(headers.get("vary"), "Origin", path)
  }
  const native = await send("/v1/wallet_kit_config", { method: "POST" })
  t.equal(native.headers.get("access-control-allow-origin"), null, "who is no page names no origin")
})

t.test("the auth proxy serves its operations as an OpenAPI document", async (t) => {
  const { send } = await startProxy(t)
  const { status, json } = await send("/openapi.json")
  t.equal(status, 200)
  t.match(json, { openapi: /^3\.1\./, paths: { "/v1/signup": { post: { operationId: "signup" } } } })
})

t.test("the auth proxy answers /livez", async (t) => {
  const { send } = await startProxy(t)
  t.match(await send("/livez"), { status: 200, json: { live: true } })
})

t.test("the auth proxy logs each request with its status; errors disclose nothing to callers", async (t) => {
  const failing = new Map([
    [
      "/v1/signup",
      {
        operation: "signup",
        handle: () => {
          throw new Error("hunter2")
        },
      },
    ],
  ])
  const { send, logged } = await startProxy(t, { routes: failing })
  const { status, json } = await send("/v1/signup", { method: "POST", headers: { "x-request-id": "mine-1" } })
  t.equal(status, 500)
  t.match(json, { code: 13, message: "internal server error (request mine-1)" })
  t.notMatch(JSON.stringify(json), /hunter2/)
  t.match(logged.at(-1), {
    operation: "signup",
    status: 500,
    requestId: "mine-1",
    err: { message: "hunter2" },
  })
})
