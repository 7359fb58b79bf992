// Enabling, settings and the stated configuration of the authentication proxy, over HTTP.
import { createPublicKey, randomBytes } from "node:crypto"
import t from "tap"
import { readAuthProxyStatement } from "../../signer/core/auth-proxy/statement.ts"
import { readPublicKeySet } from "../../signer/core/crypto/keyset.ts"
import { requireError, requireQueryReply, requireResult } from "../contract/replies.ts"
import { openedKey, proxyOwnKey } from "../harness/auth-proxy.ts"
import type { TestKey } from "../harness/stamper.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import { newKey } from "../harness/stamper.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import type { Json } from "../harness/system.ts"

const OFFICE = "192.0.2.7"
const ELSEWHERE = "198.51.100.9"

t.test("the auth proxy of an organization, over HTTP:", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root } = await system.createOrganization()
  const from = (address: string) => ({ "x-forwarded-for": address })
  const send = (path: string, type: string, parameters: object, key: TestKey, address = OFFICE) =>
    system.post(`submit/${path}`, system.body(type, organizationId, parameters), key, from(address))
  const submit = async (path: string, type: string, parameters: object, by = root): Promise<Json> => {
    const { json } = await send(path, type, parameters, by)
    return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
  }
  const configured = async () => {
    const { json } = await system.query("get_auth_proxy_config", { organizationId }, root)
    return requireQueryReply("get_auth_proxy_config", json)["authProxyConfig"] as Json
  }
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
  /** The proxy key as the proxy opens it. */
  const proxyKey = async (): Promise<TestKey> => {
    const { config, sealedPrivateKey } = (await stated((await configured())["configId"]))!
    const { configId = "", publicKey = "" } = config ?? {}
    return openedKey({ organizationId, authProxy: { configId, publicKey, sealedPrivateKey } as never })!
  }

  t.test("the pins name the proxy's own key", async (t) => {
    t.equal(pins["authProxyPublicKey"], proxyOwnKey.publicKeyHex)
  })

  t.test("there is none before it is enabled", async (t) => {
    const { status, json } = await system.query("get_auth_proxy_config", { organizationId }, root)
    t.equal(status, 404)
    requireError(json)
    t.match(json, { message: /enable_auth_proxy/ })
  })

  t.test("enabling, settings and their configuration", async (t) => {
    const { userId } = await submit("enable_auth_proxy", "ENABLE_AUTH_PROXY", {})
    const update = { allowedOrigins: ["https://app.example"], sessionExpirationSeconds: 1800 }
    const { configId } = await submit("update_auth_proxy_config", "UPDATE_AUTH_PROXY_CONFIG", update)
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
    const path = (id: unknown, nonce: string) => `/public/v1/auth_proxy_configs/${String(id)}?nonce=${nonce}`
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
    const ask = (path: string) => system.query(path, { organizationId }, key)
    for (const path of ["list_suborgs", "list_verified_suborgs", "list_oauth2_credentials"])
      t.equal((await ask(path)).status, 200, path)
    const contact = { filterType: "EMAIL", filterValue: "ann@example.com" }
    const leading = await system.query("list_login_suborgs", { organizationId, ...contact }, key)
    t.same(requireQueryReply("list_login_suborgs", leading.json), { organizationIds: [] })
    for (const path of [
      "list_users",
      "get_organization",
      "list_wallets",
      "get_auth_proxy_config",
      "whoami",
    ]) {
      const { status, json } = await ask(path)
      t.equal(status, 403, path)
      requireError(json)
    }
  })

  t.test("IP allowlists do not apply to the proxy key, and to no other", async (t) => {
    const rules = [{ cidr: `${OFFICE}/32` }]
    await submit("set_ip_allowlist", "SET_IP_ALLOWLIST", { enabled: true, rules })
    t.teardown(() => send("remove_ip_allowlist", "REMOVE_IP_ALLOWLIST", {}, root))
    const creation = subOrganization([{ name: "end user", key: newKey() }], { version: "v7" })
    const type = "CREATE_SUB_ORGANIZATION_V7"
    const create = (key: TestKey, address: string) =>
      send("create_sub_organization", type, creation, key, address)
    t.equal((await create(root, ELSEWHERE)).status, 403)
    t.equal((await create(await proxyKeyFrom(OFFICE), ELSEWHERE)).status, 200)
  })
  /** While a list is enforced, the configuration is still stated to any address. */
  async function proxyKeyFrom(address: string): Promise<TestKey> {
    const query = JSON.stringify({ organizationId })
    const { json } = await system.post("query/get_auth_proxy_config", query, root, from(address))
    const { configId } = json["authProxyConfig"] as { configId: string }
    const { config, sealedPrivateKey } = (await stated(configId))!
    const { publicKey = "" } = config ?? {}
    return openedKey({ organizationId, authProxy: { configId, publicKey, sealedPrivateKey } as never })!
  }

  t.test("disabling takes key and settings", async (t) => {
    const { configId } = await configured()
    const key = await proxyKey()
    await submit("disable_auth_proxy", "DISABLE_AUTH_PROXY", {})
    const config = await configured()
    t.match(config, { configId, enabled: false, settings: { allowedOrigins: [] } })
    t.notOk("publicKey" in config)
    t.match(await stated(configId), { config: { enabled: false }, sealedPrivateKey: { length: 0 } })
    t.equal((await system.query("list_suborgs", { organizationId }, key)).status, 401)
  })
})
