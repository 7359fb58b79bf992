// Requests of @turnkey/core 2.7 to the auth proxy, as recorded, against the running processes: names, order and members.
import t from "tap"
import { startAuthProxy } from "../harness/auth-proxy-process.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey } from "../harness/stamper.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import type { Json } from "../harness/system.ts"
import { sdkOf } from "./published.ts"

const APP = "https://app.example.com"
const ETHEREUM = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
}

t.test("the auth proxy and the published client's requests:", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root } = await system.createOrganization()
  const submit = (path: string, type: string, parameters: object) =>
    system.submit(path, system.body(type, organizationId, parameters), root)
  await submit("enable_auth_proxy", "ENABLE_AUTH_PROXY", {})
  const updated = await submit("update_auth_proxy_config", "UPDATE_AUTH_PROXY_CONFIG", {
    allowedOrigins: [APP],
  })
  const { updateAuthProxyConfigResult } = updated["result"] as {
    updateAuthProxyConfigResult: { configId: string }
  }
  const { configId } = updateAuthProxyConfigResult
  const proxyUrl = await startAuthProxy(t, system)
  const post = async (operation: string, body?: object, origin = APP) => {
    const headers = { "Content-Type": "application/json", "X-Auth-Proxy-Config-ID": configId, origin }
    const request = { method: "POST", headers, ...(body && { body: JSON.stringify(body) }) }
    const reply = await fetch(`${proxyUrl}/v1/${operation}`, request)
    return { status: reply.status, headers: reply.headers, json: (await reply.json()) as Json }
  }

  t.test("the kit mounts with two calls without a body, in parallel", async (t) => {
    const [config, params] = await Promise.all([post("wallet_kit_config"), post("wallet_kit_client_params")])
    t.match(config.json, {
      organizationId,
      sessionExpirationSeconds: "900",
      otpLength: "6",
      otpAlphanumeric: true,
    })
    t.same(config.json["enabledProviders"], ["passkey", "wallet"], "this system has no fetcher to send mail")
    t.same(params, { ...params, status: 200, json: {} })
    t.equal(config.headers.get("access-control-allow-origin"), APP)
  })

  t.test("a page of another origin reads nothing", async (t) => {
    const { status, headers } = await post("wallet_kit_config", undefined, "https://evil.example")
    t.same([status, headers.get("access-control-allow-origin")], [403, null])
  })

  t.test(
    "a wallet's key: account finds nothing, signup_v2 creates, account finds it, the key stamps",
    async (t) => {
      const key = newKey()
      const filter = { filterType: "PUBLIC_KEY", filterValue: key.publicKeyHex }
      t.same((await post("account", filter)).json, {})
      const apiKeys = [
        {
          apiKeyName: `wallet-auth:${key.publicKeyHex}`,
          publicKey: key.publicKeyHex,
          curveType: "API_KEY_CURVE_P256",
        },
      ]
      const { status, json } = await post("signup_v2", {
        userName: `user-${Date.now()}`,
        authenticators: [],
        organizationName: `sub-org-${Date.now()}`,
        apiKeys,
        oauthProviders: [],
        wallet: { walletName: "Default", accounts: [ETHEREUM] },
      })
      t.equal(status, 200)
      t.match(json, { userId: /-/, wallet: { addresses: [/^0x/] }, appProofs: [{ scheme: /EPHEMERAL/ }] })
      const subOrganizationId = String(json["organizationId"])
      t.same((await post("account", filter)).json, { organizationId: subOrganizationId })
      t.match(await sdkOf(system, subOrganizationId, key).getWhoami(), { organizationId: subOrganizationId })
    },
  )

  t.test(
    "a passkey with its short-lived key: signup_v2, then stamp_login in the new organization",
    async (t) => {
      const passkey = new Passkey()
      const once = newKey()
      const session = newKey()
      const key = { publicKey: once.publicKeyHex, curveType: "API_KEY_CURVE_P256", expirationSeconds: "60" }
      const { json } = await post("signup_v2", {
        userName: "ann",
        authenticators: [passkey.create()],
        organizationName: "Ann",
        apiKeys: [{ apiKeyName: `passkey-auth-${once.publicKeyHex}`, ...key }],
        oauthProviders: [],
      })
      const subOrganizationId = String(json["organizationId"])
      const parameters = { publicKey: session.publicKeyHex, expirationSeconds: "900" }
      const login = system.body("STAMP_LOGIN", subOrganizationId, parameters)
      t.match(await system.submit("stamp_login", login, once), { status: "ACTIVITY_STATUS_COMPLETED" })
      const found = await post("account", {
        filterType: "CREDENTIAL_ID",
        filterValue: passkey.credentialIdText,
      })
      t.same(found.json, { organizationId: subOrganizationId })
      const again = system.body("STAMP_LOGIN", organizationId, {
        ...parameters,
        publicKey: newKey().publicKeyHex,
      })
      t.match(await system.submit("stamp_login", again, passkey), { organizationId: subOrganizationId })
    },
  )

  t.test("the document's own shapes: a wallet by path and curve", async (t) => {
    const apiKeys = [{ apiKeyName: "k", publicKey: newKey().publicKeyHex, curveType: "API_KEY_CURVE_P256" }]
    const wallet = { path: "m/44'/501'/0'/0'", curve: "CURVE_ED25519" }
    const { json } = await post("signup", { userName: "ben", organizationName: "Ben", apiKeys, wallet })
    t.match(json, { organizationId: /-/, wallet: { addresses: [/^[1-9A-HJ-NP-Za-km-z]{32,44}$/] } })
  })

  t.test("what the core API refuses, the page reads as it was said", async (t) => {
    const { status, json } = await post("signup_v2", { userName: "nobody" })
    t.equal(status, 400)
    t.match(json, {
      code: 3,
      message: /^quorum threshold is 1, but only 0 of its users can log in now/,
      turnkeyErrorCode: "REQUEST_INVALID",
    })
  })

  t.test("enabled again, the proxy goes on with the new key", async (t) => {
    await submit("enable_auth_proxy", "ENABLE_AUTH_PROXY", {})
    t.equal((await post("account", { filterType: "NAME", filterValue: "Ben" })).status, 200)
  })

  t.test("disabled, it serves nothing", async (t) => {
    await submit("disable_auth_proxy", "DISABLE_AUTH_PROXY", {})
    const replies = []
    do replies.push(await post("wallet_kit_config"))
    while (replies.at(-1)?.status === 200 && replies.length < 10_000)
    t.match(replies.at(-1), { status: 403, json: { message: /^auth proxy is disabled/ } })
  })
})
