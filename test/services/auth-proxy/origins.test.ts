// Configuration id, origins and CORS, before an operation runs.
import { randomUUID } from "node:crypto"
import t from "tap"
import { startProxy } from "./start-proxy.ts"

const APP = "https://app.example.com"

t.test("a request without configuration id is refused by the header's name", async (t) => {
  const { send, core } = await startProxy(t)
  for (const headers of [{}, { "x-auth-proxy-config-id": "" }]) {
    const { status, json } = await send("/v1/wallet_kit_config", { method: "POST", headers })
    t.match({ status, json }, { status: 400, json: { code: 3, message: /X-Auth-Proxy-Config-Id/ } })
  }
  t.same(core.asked, [])
})

t.test("a malformed and an unknown configuration id get the same reply", async (t) => {
  const { post } = await startProxy(t)
  for (const id of ["none", randomUUID(), "../../pins", "a".repeat(2000)]) {
    const { status, json } = await post("wallet_kit_config", {}, { "x-auth-proxy-config-id": id })
    t.match({ status, json }, { status: 404, json: { code: 5 } })
    const { message } = json as { message: string }
    t.match(message, /^auth proxy config not found: no organization has /)
    t.match(message, ` ${id.slice(0, 64)}; copy the id`)
  }
})

t.test(
  "ids that nobody has are looked up a bounded number of times; known ones are served meanwhile",
  async (t) => {
    const { post, core } = await startProxy(t)
    t.equal((await post("wallet_kit_config")).status, 200)
    const random = () => post("wallet_kit_config", {}, { "x-auth-proxy-config-id": randomUUID() })
    const statuses = await Promise.all(Array.from({ length: 150 }, random))
    t.equal(statuses.filter(({ status }) => status === 429).length, 51)
    t.equal(core.asked.length, 100)
    t.equal((await post("wallet_kit_config")).status, 200)
  },
)

t.test("a disabled proxy says so", async (t) => {
  const { post, core } = await startProxy(t)
  core.enabled = false
  const { status, json } = await post("account", { filterType: "EMAIL", filterValue: "a@b.example" })
  t.match({ status, json }, { status: 403, json: { code: 7, message: /^auth proxy is disabled/ } })
  t.same(core.posted, [])
})

t.test(
  "an origin of the list is allowed and named; another one is refused without Access-Control-Allow-Origin",
  async (t) => {
    const { post, core } = await startProxy(t)
    core.settings = { allowedOrigins: [APP] }
    const from = async (origin?: string) => {
      const { status, json, headers } = await post(
        "wallet_kit_config",
        {},
        origin === undefined ? {} : { origin },
      )
      const { code } = json
      return { status, code, allowed: headers.get("access-control-allow-origin"), vary: headers.get("vary") }
    }
    t.same(await from(APP), { status: 200, code: undefined, allowed: APP, vary: "Origin" })
    t.equal((await from("https://APP.example.com")).status, 200)
    for (const origin of [
      "null",
      "https://app.example.com.evil.example",
      `${APP}:8443`,
      "http://app.example.com",
      `${APP}/`,
    ])
      t.same(await from(origin), { status: 403, code: 7, allowed: null, vary: "Origin" }, origin)
    t.equal((await from()).status, 403)
  },
)

t.test("a refusal names the origin, the configuration and the remedy", async (t) => {
  const { post, core } = await startProxy(t)
  core.settings = { allowedOrigins: [APP] }
  const message = async (headers: Record<string, string>) =>
    (await post("wallet_kit_config", {}, headers)).json["message"]
  const named = await message({ origin: "https://evil.example" })
  t.match(
    named,
    /^origin not allowed: https:\/\/evil\.example is not in allowedOrigins of configuration [0-9a-f-]{36}; add it with /,
  )
  t.match(await message({}), /^origin not allowed: the request has none; .* allowMissingOrigin is true$/)
  const long = String(await message({ origin: `https://${"a".repeat(2000)}.example` }))
  t.ok(long.length < 400, "a long origin is cut")
})

t.test("native clients without Origin are served where the settings allow it", async (t) => {
  const { post, core } = await startProxy(t)
  core.settings = { allowedOrigins: [APP], allowMissingOrigin: true }
  t.equal((await post("wallet_kit_config")).status, 200)
  t.equal((await post("wallet_kit_config", {}, { origin: "https://evil.example" })).status, 403)
})

t.test("changed settings are read again after two seconds", async (t) => {
  const { post, core, clock } = await startProxy(t)
  const status = async () => (await post("wallet_kit_config", {}, { origin: "https://evil.example" })).status
  t.equal(await status(), 200)
  core.settings = { allowedOrigins: [APP] }
  core.version += 1n
  clock.ms += 1999
  t.equal(await status(), 200)
  clock.ms += 1
  t.equal(await status(), 403)
  t.equal(core.asked.length, 2)
})
