// A login with X through all processes: page, auth proxy, API, signer, fetcher, and a stand-in for the provider.
import { createPublicKey, type JsonWebKey, randomBytes, verify } from "node:crypto"
import { encryptOauth2ClientSecret } from "@turnkey/crypto"
import t from "tap"
import { nonceOf } from "../harness/attested.ts"
import { authProxyPairing } from "../harness/auth-proxy.ts"
import { startAuthProxy } from "../harness/auth-proxy-process.ts"
import { freshDatabase } from "../harness/database.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { FakeOauth2Providers } from "../harness/oauth2-providers.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { type Json, System } from "../harness/system.ts"
import { requireAnswered } from "./replies/asked-by.ts"

const ISSUER = "https://wallet.example"
const SECRET = "the client's secret"
const REDIRECT = "https://app.example/done"

t.test("logins with an OAuth 2.0 provider:", async (t) => {
  const { url } = await freshDatabase(t)
  const providers = await FakeOauth2Providers.open()
  t.teardown(() => providers.close())
  const signerSettings = { ...authProxyPairing, COUNTERSIGN_SIGNER_OIDC_ISSUER: ISSUER }
  const system = await System.startWithFetcher(url, [], providers.settings, signerSettings)
  t.teardown(() => system.stop())
  const api = await DocumentedApi.of(system)
  const { send, submit } = api
  const pins = (await system.send("/public/v1/pins", {})).json
  const encryptedClientSecret = await encryptOauth2ClientSecret(
    SECRET,
    String(pins["fetcherPublicKey"]).slice(0, 130),
  )
  providers.secrets.set("app", SECRET)
  const credential = { provider: "OAUTH2_PROVIDER_X", clientId: "app", encryptedClientSecret }
  const { oauth2CredentialId } = await submit("CREATE_OAUTH2_CREDENTIAL", credential)
  await submit("ENABLE_AUTH_PROXY", {})
  const { configId } = await submit("UPDATE_AUTH_PROXY_CONFIG", {
    allowedAuthMethods: ["x"],
  })
  const proxyUrl = await startAuthProxy(t, system)
  const post = async (operation: string, body: object) => {
    const headers = { "x-auth-proxy-config-id": String(configId) }
    const reply = await fetch(`${proxyUrl}/v1/${operation}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers,
    })
    return { status: reply.status, json: (await reply.json()) as Json }
  }
  /** The request of a page to which X has returned the browser. */
  const visit = (id: string, key = newKey()) => {
    const codeVerifier = randomBytes(32).toString("base64url")
    const user = { data: { id, name: "Ann", username: "ann" } }
    const authCode = providers.authorize({
      clientId: "app",
      redirectUri: REDIRECT,
      verifier: codeVerifier,
      user,
    })
    return { key, parameters: { authCode, redirectUri: REDIRECT, codeVerifier, nonce: nonceOf(key) } }
  }
  const page = ({ parameters }: ReturnType<typeof visit>) => ({
    ...parameters,
    provider: "OAUTH2_PROVIDER_X",
    clientId: "app",
  })

  t.test("a code signs up and logs in through the auth proxy", async (t) => {
    const first = visit("42")
    const { status, json } = await post("oauth2_authenticate", page(first))
    t.match({ status, json }, { status: 200, json: { oidcToken: /^eyJ/ } })
    const { oidcToken } = json
    t.match(await post("account", { filterType: "OIDC_TOKEN", filterValue: oidcToken }), {
      status: 200,
      json: {},
    })
    const oauthProviders = [{ providerName: "X", oidcToken }]
    const made = await post("signup_v2", { userName: "ann", oauthProviders })
    t.match(made, { status: 200, json: { organizationId: /-/, userId: /-/ } })
    const own = { organizationId: made.json["organizationId"] }
    t.match(await post("account", { filterType: "OIDC_TOKEN", filterValue: oidcToken }), { json: own })
    const again = visit("42")
    const token = (await post("oauth2_authenticate", page(again))).json["oidcToken"]
    const login = { oidcToken: token, publicKey: again.key.publicKeyHex }
    t.match(await post("oauth_login", login), { status: 200, json: { session: /^eyJ/ } })
    t.match((await system.query("whoami", own, again.key)).json, { userId: made.json["userId"] })
    t.match(await post("oauth_login", login), {
      status: 400,
      json: { turnkeyErrorCode: "INVALID_OIDC_TOKEN" },
    })
    t.match(await post("oauth2_authenticate", page(again)), {
      status: 400,
      json: { code: 3, message: /^X refuses the login with status 400: invalid_grant/ },
    })
  })

  t.test("others verify the token with what the API publishes", async (t) => {
    const { parameters, key } = visit("43")
    const { oidcToken } = await submit("OAUTH2_AUTHENTICATE", {
      oauth2CredentialId,
      ...parameters,
    })
    const configuration = (await system.send("/.well-known/openid-configuration", {})).json
    t.match(configuration, {
      issuer: ISSUER,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ["ES256"],
    })
    const { keys } = (await system.send("/.well-known/jwks.json", {})).json as { keys: JsonWebKey[] }
    const [header, payload, signature] = String(oidcToken).split(".") as [string, string, string]
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as Json
    const jwk = keys.find((one) => one["kid"] === read(header)["kid"])!
    const publicKey = createPublicKey({ key: jwk, format: "jwk" })
    const signed = Buffer.from(`${header}.${payload}`)
    const verifier = { key: publicKey, dsaEncoding: "ieee-p1363" } as const
    t.ok(verify("sha256", signed, verifier, Buffer.from(signature, "base64url")))
    t.match(read(payload), { iss: ISSUER, aud: "app", sub: "x:43", nonce: nonceOf(key) })
    t.notMatch(JSON.stringify(keys), /"d"/)
  })

  t.test(
    "a member that is not set is refused with the literal text, by the API and by the auth proxy",
    async (t) => {
      const { parameters } = visit("44")
      const sentence = (member: string) => ({
        status: 400,
        json: { code: 3, message: new RegExp(`^invalid request body: ${member} must be set: `) },
      })
      const members = { auth_code: "authCode", code_verifier: "codeVerifier", redirect_uri: "redirectUri" }
      const ofActivity = { ...members, oauth2_credential_id: "oauth2CredentialId" }
      for (const [member, name] of Object.entries(ofActivity))
        for (const value of [undefined, ""]) {
          const body = { oauth2CredentialId, ...parameters, [name]: value }
          t.match(await send("OAUTH2_AUTHENTICATE", body), sentence(member), name)
        }
      for (const [member, name] of Object.entries({ ...members, client_id: "clientId" }))
        for (const value of [undefined, ""]) {
          const reply = await post("oauth2_authenticate", { ...page(visit("44")), [name]: value })
          t.match(reply, sentence(member), name)
        }
    },
  )

  t.test("no process logs the secret, a code or a provider's token", async (t) => {
    for (const name of ["signer", "fetcher", "api"] as const) {
      const log = system.logOf(name)
      for (const secret of [SECRET, ...providers.accessTokens]) t.notOk(log.includes(secret), name)
    }
  })

  requireAnswered(t, api, "oauth2")
})

t.test("a service without an issuer serves neither configuration nor keys", async (t) => {
  const system = await sharedSystem()
  for (const path of ["/.well-known/openid-configuration", "/.well-known/jwks.json"]) {
    const { status, json } = await system.send(path, {})
    t.match({ status, json }, { status: 404, json: { code: 5, message: /COUNTERSIGN_SIGNER_OIDC_ISSUER/ } })
  }
})
