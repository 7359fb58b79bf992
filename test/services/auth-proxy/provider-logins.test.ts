// Logins of the auth proxy by codes of OAuth 2.0 providers, and by the tokens that the service makes of them.
import t from "tap"
import { completed, ok, publicKeyHex, sent, SUB, token } from "./login-replies.ts"
import { startProxy } from "./start-proxy.ts"

t.test("a code of X or Discord is exchanged with the organization's credential for its client", async (t) => {
  const { post, core, clock } = await startProxy(t)
  const parameters = {
    authCode: "code",
    redirectUri: "https://app.example/done",
    codeVerifier: "verifier",
    nonce: "ab".repeat(32),
  }
  const credentials = [
    { oauth2CredentialId: "one", provider: "OAUTH2_PROVIDER_X", clientId: "theirs" },
    { oauth2CredentialId: "two", provider: "OAUTH2_PROVIDER_DISCORD", clientId: "app" },
    { oauth2CredentialId: "three", provider: "OAUTH2_PROVIDER_X", clientId: "app" },
  ]
  const request = (provider: string, clientId = "app") => ({
    ...parameters,
    provider: `OAUTH2_PROVIDER_${provider}`,
    clientId,
  })
  t.match(await post("oauth2_authenticate", request("X")), {
    status: 403,
    json: { code: 7, message: /^OAUTH disallowed: "x" is off/ },
  })
  t.equal(core.posted.length, 0)
  core.settings = { allowedAuthMethods: ["x", "discord"] }
  core.version += 1n
  clock.ms += 2000
  for (const [provider, oauth2CredentialId] of [
    ["X", "three"],
    ["DISCORD", "two"],
  ] as const) {
    core.replies.push(ok({ oauth2Credentials: credentials }))
    core.replies.push(completed({ oauth2AuthenticateResult: { oidcToken: "a.b.c" } }))
    const { status, json } = await post("oauth2_authenticate", request(provider))
    t.same({ status, json }, { status: 200, json: { oidcToken: "a.b.c" } })
    t.match(sent(core), {
      path: "submit/oauth2_authenticate",
      type: "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE",
      organizationId: core.organizationId,
    })
    t.same(sent(core)["parameters"], { oauth2CredentialId, ...parameters })
  }
  core.replies.push(ok({ oauth2Credentials: credentials }))
  t.match(await post("oauth2_authenticate", request("DISCORD", "theirs")), {
    status: 404,
    json: { code: 5, turnkeyErrorCode: "OAUTH2_CREDENTIAL_NOT_FOUND", message: /create_oauth2_credential/ },
  })
  const refusal = { status: 400, text: JSON.stringify({ code: 3, message: "X refuses", details: [] }) }
  core.replies.push(ok({ oauth2Credentials: credentials }), refusal)
  t.match(await post("oauth2_authenticate", request("X")), { status: 400, text: refusal.text })
  for (const member of ["provider", "authCode", "redirectUri", "codeVerifier", "nonce", "clientId"]) {
    const { [member as "nonce"]: _, ...others } = request("X")
    t.match(await post("oauth2_authenticate", others), { status: 400, json: { code: 3, message: member } })
  }
  t.match(await post("oauth2_authenticate", { ...request("X"), provider: "OAUTH2_PROVIDER_MASTODON" }), {
    status: 400,
    json: { code: 3, message: /provider/ },
  })
})

t.test("tokens of the service are logins by the provider that their subject names", async (t) => {
  const { post, core, clock } = await startProxy(t)
  const issuer = "https://wallet.example"
  core.state = (stated) => ({ ...stated, oidcIssuer: issuer })
  core.settings = { allowedAuthMethods: ["x", "google"] }
  const login = (claims: object) =>
    post("oauth_login", { oidcToken: token(claims), publicKey: publicKeyHex, organizationId: SUB })
  const off = (method: string) => ({ status: 403, json: { message: `OAUTH disallowed: "${method}" is off` } })
  core.replies.push(completed({ oauthLoginResult: { session: "s" } }))
  t.match(await login({ iss: issuer, sub: "x:42" }), { status: 200, json: { session: "s" } })
  const before = core.posted.length
  t.match(await login({ iss: issuer, sub: "discord:42" }), off("discord"))
  t.match(await login({ iss: issuer, sub: "y" }), off("y"))
  t.match(await login({ iss: issuer }), off("undefined"))
  t.match(await login({ iss: `${issuer}/`, sub: "x:42" }), off("oidc"), "another issuer's subject")
  core.state = (stated) => stated
  core.version += 1n
  clock.ms += 2000
  t.match(await login({ iss: "", sub: "x:42" }), off("oidc"), "a service without issuer")
  t.equal(core.posted.length, before)
})
