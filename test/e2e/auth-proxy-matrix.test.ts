// Configuration ids, origins and errors of the auth proxy, by the running processes (docs/choices C-32, C-1047, C-1049).
import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { startAuthProxy } from "../harness/auth-proxy-process.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import type { Json } from "../harness/system.ts"

const APP = "https://app.example.com"
const PORT = "https://app.example.com:8443"
const NATIVE = "capacitor://localhost"

/** A reply as the table names it. `allowed`: Access-Control-Allow-Origin. */
type Reply = { status: number; code?: number; message?: RegExp; allowed: string | null }
/** `origin`: undefined is a request without the header. */
type Row = [
  what: string,
  request: { origin?: string; id?: string | null; path?: string; body?: string },
  reply: Reply,
]

const ok = (allowed: string | null): Reply => ({ status: 200, allowed })
const forbidden: Reply = { status: 403, code: 7, message: /^origin not allowed/, allowed: null }

/** Origins that are never on a list of exact origins. */
const TRICKS: readonly string[] = [
  "null",
  "*",
  "https://app.example.com.evil.example",
  "https://evil-app.example.com",
  "https://example.com",
  "https://sub.app.example.com",
  "https://app.example.com:8444",
  "https://app.example.com.",
  "https://app.example.com/",
  "https://app.example.com/path",
  "https://user@app.example.com",
  "https://app.example.com@evil.example",
  "https://app.example.com#evil.example",
  "https://app.example.com?evil.example",
  "https://app.example.com evil.example",
  "https://app.example.com,https://evil.example",
  "http://app.example.com",
  "app.example.com",
  "//app.example.com",
  "ftp://app.example.com",
  "capacitor://localhost.evil.example",
  "https://localhost",
]

t.test("configuration ids, origins and errors of the running auth proxy:", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root } = await system.createOrganization()
  const submit = async (path: string, type: string, parameters: object) =>
    (await system.submit(path, system.body(type, organizationId, parameters), root))["result"] as Json
  await submit("enable_auth_proxy", "ENABLE_AUTH_PROXY", {})
  const proxyUrl = await startAuthProxy(t, system)
  const update = async (settings: object): Promise<string> => {
    const result = await submit("update_auth_proxy_config", "UPDATE_AUTH_PROXY_CONFIG", settings)
    return (result["updateAuthProxyConfigResult"] as { configId: string }).configId
  }
  const configId = await update({ sessionExpirationSeconds: 900 })
  const send = async ({ origin, id = configId, path = "wallet_kit_config", body = "{}" }: Row[1]) => {
    const headers = {
      ...(id !== null && { "x-auth-proxy-config-id": id }),
      ...(origin !== undefined && { origin }),
    }
    const reply = await fetch(`${proxyUrl}/v1/${path}`, { method: "POST", headers, body })
    return { status: reply.status, headers: reply.headers, json: (await reply.json()) as Json }
  }
  const check = async (rows: readonly Row[]) => {
    for (const [what, request, { status, code, message, allowed }] of rows) {
      const title = JSON.stringify([what, request.origin])
      const { headers, json, ...reply } = await send(request)
      t.equal(reply.status, status, title)
      t.equal(headers.get("access-control-allow-origin"), allowed, title)
      t.equal(headers.get("vary"), "Origin", title)
      t.equal(headers.get("content-type"), "application/json", title)
      t.equal(json["code"], code, title)
      if (message) t.match(json, { message, details: [] }, title)
      // The refusal repeats the origin that the caller sent, and says nothing of those that are allowed.
      const said = JSON.stringify(json).replace(`origin not allowed: ${request.origin} `, "")
      if (status === 403) t.notMatch(said, "app.example", `${title}: names no allowed origin`)
    }
  }
  /** Changes settings, and waits until the proxy has read them: it uses a configuration for two seconds. */
  const change = async (settings: object, probe: Row[1], until: number) => {
    await update(settings)
    while ((await send(probe)).status !== until) await pause(100)
  }

  t.test("no list: every origin, and requests without one", async () => {
    await check([
      ["a page", { origin: APP }, ok(APP)],
      ["an opaque origin", { origin: "null" }, ok("null")],
      ["a native shell", { origin: NATIVE }, ok(NATIVE)],
      ["no Origin", {}, ok(null)],
    ])
  })

  t.test("a list: its origins alone, in every spelling that is the same origin", async () => {
    const allowedOrigins = [`${APP}/`, PORT, NATIVE, "http://localhost:3000"]
    await change({ allowedOrigins }, { origin: "https://evil.example" }, 403)
    await check([
      ["as listed with a slash", { origin: APP }, ok(APP)],
      ["scheme and host in capitals", { origin: "HTTPS://APP.Example.COM" }, ok("HTTPS://APP.Example.COM")],
      ["the scheme's own port", { origin: `${APP}:443` }, ok(`${APP}:443`)],
      ["a listed port", { origin: PORT }, ok(PORT)],
      ["a native shell", { origin: NATIVE }, ok(NATIVE)],
      ["localhost", { origin: "http://localhost:3000" }, ok("http://localhost:3000")],
      ["another port of localhost", { origin: "http://localhost:3001" }, forbidden],
      ["127.0.0.1 for localhost", { origin: "http://127.0.0.1:3000" }, forbidden],
      ["no Origin", {}, forbidden],
      ...TRICKS.map((origin): Row => ["not on the list", { origin }, forbidden]),
    ])
  })

  t.test("a list with native clients: no Origin is allowed, and no other one", async () => {
    await change({ allowMissingOrigin: true }, {}, 200)
    await check([
      ["no Origin", {}, ok(null)],
      ["a page", { origin: APP }, ok(APP)],
      ["an empty Origin", { origin: "" }, forbidden],
      ...TRICKS.map((origin): Row => ["not on the list", { origin }, forbidden]),
    ])
    await change({ allowMissingOrigin: false }, {}, 403)
  })

  t.test("refusals come in one order, each with its status", async () => {
    const body = "}{"
    const missing = { status: 400, code: 3, message: /^missing X-Auth-Proxy-Config-Id header/ }
    const unknown = { status: 404, code: 5, message: /^auth proxy config not found/ }
    await check([
      ["no id", { id: null, origin: APP, body }, { ...missing, allowed: APP }],
      [
        "no id, a stranger",
        { id: null, origin: "https://evil.example", body },
        { ...missing, allowed: "https://evil.example" },
      ],
      ["an empty id", { id: "", origin: APP }, { ...missing, allowed: APP }],
      ["a malformed id", { id: "none", origin: APP, body }, { ...unknown, allowed: APP }],
      ["an id that nobody has", { id: randomUUID(), origin: APP, body }, { ...unknown, allowed: APP }],
      ["the organization's id", { id: organizationId, origin: APP }, { ...unknown, allowed: APP }],
      ["the id in capitals", { id: configId.toUpperCase(), origin: APP }, ok(APP)],
      ["a stranger with a broken body", { origin: "https://evil.example", body }, forbidden],
      ["a broken body", { origin: APP, body }, { status: 400, code: 3, message: /JSON/, allowed: APP }],
      ["a list as body", { origin: APP, body: "[]" }, { status: 400, code: 3, allowed: APP }],
      [
        "a missing member",
        { origin: APP, path: "oauth_login" },
        { status: 400, code: 3, message: /oidcToken/, allowed: APP },
      ],
      [
        "an unknown value",
        { origin: APP, path: "otp_init", body: '{"otpType":"OTP_TYPE_FAX","contact":"a@b.example"}' },
        { status: 400, code: 3, message: /otpType/, allowed: APP },
      ],
      [
        "a way to log in that is off",
        { origin: APP, path: "otp_init", body: '{"otpType":"OTP_TYPE_SMS","contact":"+15551234567"}' },
        { status: 403, code: 7, message: /^OTP disallowed/, allowed: APP },
      ],
      [
        "a social login that is off",
        {
          origin: APP,
          path: "oauth2_authenticate",
          body: JSON.stringify({
            provider: "OAUTH2_PROVIDER_X",
            clientId: "app",
            authCode: "c",
            redirectUri: "https://app.example/",
            codeVerifier: "v",
            nonce: "ab",
          }),
        },
        { status: 403, code: 7, message: /^OAUTH disallowed/, allowed: APP },
      ],
    ])
  })

  t.test(
    "an error of the core API passes with status, code and body, and its help link leads to the proxy",
    async (t) => {
      const code = { otpType: "OTP_TYPE_EMAIL", contact: "ann@example.com", appName: "Acme" }
      const body = system.body("INIT_OTP_V2", organizationId, code)
      const core = await system.post("submit/init_otp", body, root)
      const { status, json } = await send({ origin: APP, path: "otp_init", body: JSON.stringify(code) })
      t.ok(core.status >= 400, core.text)
      const plain = (reply: Json) => JSON.stringify(reply).replace(/"requestId":"[^"]*"/, "")
      const page = "/docs/errors/OTP_DISABLED"
      t.equal(status, core.status)
      t.equal(plain(json), plain(core.json).replace(/"http:[^"]*(?=\/docs)/, `"${proxyUrl}`))
      t.match(plain(json), `"url":"${proxyUrl}${page}"`)
      t.equal((await fetch(`${proxyUrl}${page}`)).status, 200)
    },
  )

  t.test("an emptied list: every origin again", async () => {
    await change({ resetMembers: ["allowedOrigins"] }, { origin: "https://evil.example" }, 200)
    await check([
      ["an origin that was not listed", { origin: "https://evil.example" }, ok("https://evil.example")],
      ["no Origin", {}, ok(null)],
    ])
  })

  t.test("a disabled proxy refuses every origin by name, before the body is read", async () => {
    await submit("disable_auth_proxy", "DISABLE_AUTH_PROXY", {})
    while ((await send({})).status !== 403) await pause(100)
    const off = { status: 403, code: 7, message: /^auth proxy is disabled/ }
    await check([
      ["a page", { origin: APP, body: "}{" }, { ...off, allowed: APP }],
      ["no Origin", {}, { ...off, allowed: null }],
    ])
  })

  t.test("a preflight of any origin is answered without the configuration", async (t) => {
    for (const origin of [APP, "https://evil.example", "null"]) {
      const reply = await fetch(`${proxyUrl}/v1/otp_init`, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "x-auth-proxy-config-id",
        },
      })
      t.equal(reply.status, 204, origin)
      t.equal(reply.headers.get("access-control-allow-origin"), origin)
      t.equal(reply.headers.get("access-control-max-age"), "600")
      for (const name of ["X-Auth-Proxy-Config-Id", "X-Captcha-Token", "X-Client-Version", "Content-Type"])
        t.match(reply.headers.get("access-control-allow-headers"), name)
    }
  })
})
