// Enabling, settings and the stated configuration of the authentication proxy.
import { createPublicKey, randomBytes } from "node:crypto"
import { readAuthProxyStatement } from "../../../signer/core/auth-proxy/statement.ts"
import { readPublicKeySet } from "../../../signer/core/crypto/keyset.ts"
import { requireError } from "../../contract/replies.ts"
import { openedKey, proxyOwnKey } from "../../harness/auth-proxy.ts"
import { newKey, type TestKey } from "../../harness/stamper.ts"
import { subOrganization } from "../../harness/sub-organization.ts"
import type { Json } from "../../harness/system.ts"
import type { Sequence } from "./sequence.ts"

const from = (address: string) => ({ headers: { "x-forwarded-for": address } })
const OFFICE = from("192.0.2.7")
const ELSEWHERE = from("198.51.100.9")

export const authProxySettings: Sequence = {
  title: "the auth proxy of an organization, over HTTP:",
  run: async (t, api) => {
    const { system, organizationId } = api
    const { send, ask, query, refused } = api
    const submit = (type: string, parameters: object) => api.submit(type, parameters, OFFICE)
    const configured = async () =>
      (await query("get_auth_proxy_config", {}, OFFICE))["authProxyConfig"] as Json
    const pins = (await system.send("/public/v1/pins", {})).json
    const notarizer = readPublicKeySet(String(pins["notarizerPublicKey"]))!.sign
    const stated = async (configId: unknown, nonce = randomBytes(32)) => {
      const path = `/public/v1/auth_proxy_configs/${String(configId)}?nonce=${nonce.toString("hex")}`
      const { json } = await system.send(path, {})
      const [statement, signature] = [json["statement"], json["signature"]].map((text) =>
        Buffer.from(String(text), "base64"),
      ) as [Buffer, Buffer]
      return readAuthProxyStatement({ statement, signature }, { notarizer, nonce })
    }
    /** The proxy key as the proxy opens it. While an IP allowlist is enforced, the configuration is still stated to any address. */
    const proxyKey = async (): Promise<TestKey> => {
      const { config, sealedPrivateKey } = (await stated((await configured())["configId"]))!
      const { configId = "", publicKey = "" } = config ?? {}
      return openedKey({ organizationId, authProxy: { configId, publicKey, sealedPrivateKey } as never })!
    }

    t.test("the pins name the proxy's own key", async (t) => {
      t.equal(pins["authProxyPublicKey"], proxyOwnKey.publicKeyHex)
    })

    t.test("there is none before it is enabled", async (t) => {
      t.match(await refused("get_auth_proxy_config", {}, [404, 5]), { message: /enable_auth_proxy/ })
    })

    t.test("enabling, settings and their configuration", async (t) => {
      const { userId } = await submit("ENABLE_AUTH_PROXY", {})
      const update = { allowedOrigins: ["https://app.example"], sessionExpirationSeconds: 1800 }
      const { configId } = await submit("UPDATE_AUTH_PROXY_CONFIG", update)
      const config = await configured()
      t.match(config, { configId, userId, enabled: true, publicKey: /^0[23]/ })
      t.match(config["settings"], { ...update, otpLength: 6, otpAlphanumeric: true })
      t.match(await stated(configId), {
        organizationId,
        organizationName: "Acme",
        config: { configId, enabled: true },
      })
    })

    t.test("the statement is the signer's, about this configuration, for this nonce alone", async (t) => {
      const { configId } = await configured()
      const path = (id: unknown, nonce: string) =>
        `/public/v1/auth_proxy_configs/${String(id)}?nonce=${nonce}`
      const nonce = randomBytes(32)
      const { json } = await system.send(path(configId, nonce.toString("hex")), {})
      const signed = (of: Json) => ({
        statement: Buffer.from(String(of["statement"]), "base64"),
        signature: Buffer.from(String(of["signature"]), "base64"),
      })
      t.ok(readAuthProxyStatement(signed(json), { notarizer, nonce }))
      t.notOk(readAuthProxyStatement(signed(json), { notarizer, nonce: randomBytes(32) }), "an old one")
      const stranger = createPublicKey(newKey().privateKey)
      t.notOk(readAuthProxyStatement(signed(json), { notarizer: stranger, nonce }), "of another deployment")
      for (const [id, text, status] of [
        [configId, "00", 400],
        [configId, "", 400],
        [configId, "zz".repeat(16), 400],
        [organizationId, "00".repeat(16), 404],
        ["none", "00".repeat(16), 404],
      ] as const) {
        const reply = await system.send(path(id, text), {})
        t.equal(reply.status, status, `${String(id)} ${text}`)
        requireError(reply.json)
      }
    })

    t.test("the proxy key reads what it needs, and nothing else", async (t) => {
      const key = await proxyKey()
      for (const path of ["list_suborgs", "list_verified_suborgs", "list_oauth2_credentials"])
        await query(path, {}, { key })
      const contact = { filterType: "EMAIL", filterValue: "ann@example.com" }
      t.same(await query("list_login_suborgs", contact, { key }), { organizationIds: [] })
      for (const path of [
        "list_users",
        "get_organization",
        "list_wallets",
        "get_auth_proxy_config",
        "whoami",
      ])
        await refused(path, {}, [403, 7], { key })
    })

    t.test("IP allowlists do not apply to the proxy key, and to no other", async (t) => {
      const rules = [{ cidr: "192.0.2.7/32" }]
      await submit("SET_IP_ALLOWLIST", { enabled: true, rules })
      t.teardown(() => send("REMOVE_IP_ALLOWLIST", {}, OFFICE))
      const creation = subOrganization([{ name: "end user", key: newKey() }], { version: "v7" })
      const type = "CREATE_SUB_ORGANIZATION_V7"
      await refused(type, creation, [403, 7], ELSEWHERE)
      const key = await proxyKey()
      t.equal((await send(type, creation, { ...ELSEWHERE, key })).status, 200)
    })

    t.test("disabling takes key and settings", async (t) => {
      const { configId } = await configured()
      const key = await proxyKey()
      await submit("DISABLE_AUTH_PROXY", {})
      const config = await configured()
      t.match(config, { configId, enabled: false, settings: { allowedOrigins: [] } })
      t.notOk("publicKey" in config)
      t.match(await stated(configId), { config: { enabled: false }, sealedPrivateKey: { length: 0 } })
      t.equal((await ask("list_suborgs", {}, { key })).status, 401)
    })
  },
}
