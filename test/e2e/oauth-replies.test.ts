import { encryptOauth2ClientSecret } from "@turnkey/crypto"
import { setTimeout as pause } from "node:timers/promises"
import { Turnkey } from "@turnkey/sdk-server"
import t from "tap"
import { nonceOf } from "../harness/attested.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { sharedFetchingSystem } from "../harness/shared-system.ts"
import { type Json, privateKeyHex } from "../harness/system.ts"
import { newKey } from "../harness/stamper.ts"
import { userParams } from "../harness/api-client.ts"
import { requireAnswered } from "./replies/asked-by.ts"

t.test("identities and client secrets through all processes and a real OpenID provider", async (t) => {
  const { system, provider } = await sharedFetchingSystem()
  const api = await DocumentedApi.of(system)
  const { send, submit, ask, query, organizationId, root, rootUserId } = api

  t.test("a token of a real login registers its identity", async (t) => {
    const oidcToken = await provider.idToken("app", "alice")
    const oauthProviders = [
      { providerName: "Example", oidcToken },
      { providerName: "Example", oidcClaims: { iss: provider.issuer, sub: "alice", aud: "mobile" } },
    ]
    const parameters = { userId: rootUserId, oauthProviders }
    const made = await submit("CREATE_OAUTH_PROVIDERS_V2", parameters)
    const providerIds = made["providerIds"] as string[]
    const shown = { providerName: "Example", issuer: provider.issuer, subject: "alice" }
    const expected = [
      { providerId: providerIds[0], ...shown, audience: "app" },
      { providerId: providerIds[1], ...shown, audience: "mobile" },
    ]
    t.match((await query("get_oauth_providers", { userId: rootUserId }))["oauthProviders"], expected)
    t.match((await query("get_oauth_providers"))["oauthProviders"], expected)
    t.match((await query("get_user", { userId: rootUserId }))["user"], { oauthProviders: expected })
    const deletion = { userId: rootUserId, providerIds: [providerIds[1]] }
    t.match(await submit("DELETE_OAUTH_PROVIDERS", deletion), {
      providerIds: [providerIds[1]],
    })
    t.equal(((await query("get_oauth_providers"))["oauthProviders"] as Json[]).length, 1)
  })

  t.test("a token of a real login opens a session for its key", async (t) => {
    const key = newKey()
    const oidcToken = await provider.idToken("app", "alice", nonceOf(key))
    const login = await submit("OAUTH_LOGIN", { oidcToken, publicKey: key.publicKeyHex })
    t.match(login["session"], /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/)
    const { json } = await system.query("whoami", { organizationId }, key)
    t.match(json, { userId: rootUserId })
  })

  t.test("a token of a real login is verified without a login, and a forged one is refused", async (t) => {
    const oidcToken = await provider.idToken("app", "alice")
    t.same(await query("verify_oidc_token", { oidcToken }), {
      oidcClaims: { iss: provider.issuer, sub: "alice", aud: "app" },
    })
    const forged = oidcToken.replace(
      /[^.]+$/,
      (signature) => `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
    )
    t.match(await ask("verify_oidc_token", { oidcToken: forged }), {
      status: 400,
      json: { turnkeyErrorCode: "INVALID_OIDC_TOKEN" },
    })
    const elsewhere = { oidcToken: await provider.idToken("mobile", "alice") }
    const applications = (clientIds: string[]) =>
      submit("SET_ORGANIZATION_FEATURE", {
        name: "FEATURE_NAME_OIDC_APPLICATIONS",
        value: JSON.stringify({ [provider.issuer]: clientIds }),
      })
    await applications(["app"])
    const { status, text } = await ask("verify_oidc_token", elsewhere)
    t.equal(status, 400)
    t.match(text, "FEATURE_NAME_OIDC_APPLICATIONS")
    await applications(["app", "mobile"])
    t.match(await query("verify_oidc_token", elsewhere), { oidcClaims: { aud: "mobile" } })
  })

  t.test("the operation's first version is served with its own result", async (t) => {
    const oauthProviders = [{ providerName: "Example", oidcToken: await provider.idToken("app", "dora") }]
    const parameters = { userId: rootUserId, oauthProviders }
    const made = await submit("CREATE_OAUTH_PROVIDERS", parameters)
    t.equal((made["providerIds"] as string[]).length, 1)
    t.equal(((await query("get_oauth_providers"))["oauthProviders"] as Json[]).length, 2)
  })

  t.test("a new user may have an OAuth provider as their only credential", async (t) => {
    const oidcToken = await provider.idToken("app", "bob")
    const users = [{ ...userParams("bob"), oauthProviders: [{ providerName: "Example", oidcToken }] }]
    t.equal((await send("CREATE_USERS_V3", { users })).status, 200)
  })

  t.test("a real token altered to name another user is refused", async (t) => {
    const [header, , signature] = (await provider.idToken("app", "mallory")).split(".")
    const claims = { iss: provider.issuer, sub: "victim", aud: "app", exp: Date.now() / 1000 + 600 }
    const forged = [header, Buffer.from(JSON.stringify(claims)).toString("base64url"), signature].join(".")
    const oauthProviders = [{ providerName: "Example", oidcToken: forged }]
    const reply = await send("CREATE_OAUTH_PROVIDERS_V2", {
      userId: rootUserId,
      oauthProviders,
    })
    t.match(reply, { status: 400, json: { code: 3, turnkeyErrorCode: "INVALID_OIDC_TOKEN" } })
    t.match(reply.text, /its signature is wrong/)
    const again = await send("CREATE_OAUTH_PROVIDERS_V2", {
      userId: rootUserId,
      oauthProviders: [{ providerName: "Example", oidcToken: await provider.idToken("app", "alice") }],
    })
    t.match(again, { status: 409, json: { code: 6, turnkeyErrorCode: "OAUTH_PROVIDER_ALREADY_EXISTS" } })
  })

  t.test("a client secret encrypted by a published client is returned as submitted", async (t) => {
    const pins = await system.send("/public/v1/pins", {})
    const fetcherPublicKey = String(pins.json["fetcherPublicKey"])
    t.equal(fetcherPublicKey, system.fetcherPublicKey().slice(0, 260))
    const encryptedClientSecret = await encryptOauth2ClientSecret(
      "top secret",
      fetcherPublicKey.slice(0, 130),
    )
    const parameters = { provider: "OAUTH2_PROVIDER_DISCORD", clientId: "app", encryptedClientSecret }
    const made = await submit("CREATE_OAUTH2_CREDENTIAL", parameters)
    const { oauth2CredentialId } = made
    const expected = { oauth2CredentialId, organizationId, ...parameters }
    const shown = (await query("get_oauth2_credential", { oauth2CredentialId }))["oauth2Credential"]
    t.match(shown, expected)
    t.match((await query("list_oauth2_credentials"))["oauth2Credentials"], [expected])
    const next = { ...parameters, clientId: "renamed", oauth2CredentialId }
    await submit("UPDATE_OAUTH2_CREDENTIAL", next)
    t.match((await query("get_oauth2_credential", { oauth2CredentialId }))["oauth2Credential"], next)
    await submit("DELETE_OAUTH2_CREDENTIAL", { oauth2CredentialId })
    t.strictSame((await query("list_oauth2_credentials"))["oauth2Credentials"], [])
    t.equal((await ask("get_oauth2_credential", { oauth2CredentialId })).status, 404)
    for (const name of ["signer", "fetcher", "api"] as const) t.notMatch(system.logOf(name), "top secret")
  })

  t.test("the published client registers, reads and removes both, unmodified", async (t) => {
    const { fetcherPublicKey } = (await system.send("/public/v1/pins", {})).json
    const client = new Turnkey({
      apiBaseUrl: system.url,
      apiPublicKey: root.publicKeyHex,
      apiPrivateKey: privateKeyHex(root),
      defaultOrganizationId: organizationId,
    }).apiClient()
    const oidcToken = await provider.idToken("app", "erin")
    const oauthProviders = [{ providerName: "Example", oidcToken }]
    const { providerIds } = await client.createOauthProviders({ userId: rootUserId, oauthProviders })
    const shown = await client.getOauthProviders({ userId: rootUserId })
    t.match(shown.oauthProviders.at(-1), { providerId: providerIds[0], subject: "erin" })
    t.match(await client.deleteOauthProviders({ userId: rootUserId, providerIds }), { providerIds })
    const encryptionKey = String(fetcherPublicKey).slice(0, 130)
    const credential = {
      provider: "OAUTH2_PROVIDER_X" as const,
      clientId: "published",
      encryptedClientSecret: await encryptOauth2ClientSecret("theirs", encryptionKey),
    }
    const { oauth2CredentialId } = await client.createOauth2Credential(credential)
    const { oauth2Credential } = await client.getOauth2Credential({ oauth2CredentialId })
    t.match(oauth2Credential, { oauth2CredentialId, ...credential })
    await client.deleteOauth2Credential({ oauth2CredentialId })
    t.strictSame((await client.listOauth2Credentials({})).oauth2Credentials, [])
  })

  t.test("without the fetcher the service stays up, and operations that need it report that", async (t) => {
    const oidcToken = await provider.idToken("app", "carol")
    const register = (): Promise<{ status: number; text: string }> =>
      send("CREATE_OAUTH2_CREDENTIAL", {
        provider: "OAUTH2_PROVIDER_X",
        clientId: "late",
        encryptedClientSecret: "00",
      })
    await system.killFetcher()
    const reply = await register()
    t.equal(reply.status, 503)
    t.match(reply.text, /this needs the fetcher, which cannot be reached now/)
    t.equal((await system.send("/readyz", {})).status, 200)
    t.equal((await ask("whoami")).status, 200)
    const users = [{ ...userParams("carol"), oauthProviders: [{ providerName: "Example", oidcToken }] }]
    const known = await send("CREATE_USERS_V4", { users })
    t.equal(known.status, 200, "the issuer's keys are known for an hour")
    await system.startFetcher()
    system.unref()
    let answer = await register()
    // The signer reconnects to the fetcher; if it did not, this loop would not end.
    while (answer.status === 503) {
      await pause(50)
      answer = await register()
    }
    t.match(answer, { status: 400, text: /the client secret cannot be opened/ })
  })

  requireAnswered(t, api, "oauth")
})
