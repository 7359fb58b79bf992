// Codes of X and Discord: what the API tier, another tenant, or a provider can do with a login on its way.
import { generateKeyPairSync } from "node:crypto"
import t from "tap"
import { openSealedKey } from "../../signer/core/fetch-orders/on-ramp-key.ts"
import { decodeSealedKey } from "../../signer/core/fetch-orders/sealed-key-text.ts"
import { p256Point } from "../../signer/core/crypto/p256.ts"
import { valueOf } from "../harness/api-client.ts"
import { AttestedKey } from "../harness/attested.ts"
import { OWN_ISSUER } from "../harness/fake-fetcher.ts"
import { stampWith } from "../harness/stamper.ts"
import {
  claimsIn,
  discordUser,
  oauth2Application,
  xUser,
  OAUTH2_AUTHENTICATE,
  childWith,
  shop,
} from "./oauth2-fixture.ts"
import { oauthParams } from "./oidc-fixture.ts"
import { asRoot, refused } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_OAUTH_LOGIN"
const REFUSED = { is: "refused", code: "OAUTH2_REFUSED" }

t.test("a code becomes a token of this service, which signs up and logs in", async (t) => {
  const { fixture, providers, clientId, code, exchange } = await shop(t)
  const { client, acme, boundary } = fixture
  const first = code()
  const token = await exchange(first.parameters)
  t.same(providers.asked, ["/2/oauth2/token", "/2/users/me"])
  t.same(providers.faults, [])
  const now = Math.floor(boundary.clock.wallMs() / 1000)
  t.match(claimsIn(token), {
    iss: OWN_ISSUER,
    sub: "x:42",
    aud: clientId,
    nonce: first.parameters.nonce,
    iat: now,
    exp: now + 600,
    jti: /^[0-9a-f]{32}$/,
  })
  t.equal(claimsIn(token)["email"], undefined)
  const ann = await childWith(fixture, token)
  const again = code()
  const login = oauthParams(new AttestedKey(again.key, await exchange(again.parameters)))
  const session = valueOf(
    await client.submit(acme.root, LOGIN, ann.organizationId, login),
    "oauthLoginResult",
  )
  t.match(claimsIn(session.session), {
    organization_id: ann.organizationId,
    user_id: ann.rootUserId,
    public_key: again.key.publicKeyHex,
  })
})

t.test("Discord's user has an e-mail address if Discord verified it", async (t) => {
  const { providers, code, exchange } = await shop(t, "DISCORD")
  const cases: [user: object, email: string | undefined][] = [
    [discordUser("80351110224678912", { email: "ann@example.com", verified: true }), "ann@example.com"],
    [discordUser("80351110224678912", { email: "ann@example.com", verified: false }), undefined],
    [discordUser("80351110224678912", { email: "ann@example.com", verified: "true" }), undefined],
    [discordUser("80351110224678912", { email: "not an address", verified: true }), undefined],
    [discordUser("80351110224678912", { email: null }), undefined],
  ]
  for (const [user, email] of cases) {
    const claims = claimsIn(await exchange(code({ user }).parameters))
    t.match(claims, { sub: "discord:80351110224678912" })
    t.equal(claims["email"], email, JSON.stringify(user))
    t.equal(claims["email_verified"], email && true, JSON.stringify(user))
  }
  t.same(providers.asked.slice(0, 2), ["/api/oauth2/token", "/api/users/@me"])
})

t.test("the access token is sealed to the application's key, in both forms of points", async (t) => {
  const { providers, code, exchange } = await shop(t)
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const point = Buffer.from(p256Point(privateKey))
  const compressed = Buffer.concat([Buffer.of(2 + (point[64]! & 1)), point.subarray(1, 33)])
  for (const target of [point, compressed]) {
    const parameters = { ...code().parameters, bearerTokenTargetPublicKey: target.toString("hex") }
    const { encrypted_bearer_token: sealed } = claimsIn(await exchange(parameters))
    const opened = openSealedKey(privateKey, decodeSealedKey(String(sealed))!)!
    t.equal(
      opened.use((bytes) => Buffer.from(bytes).toString()),
      providers.accessTokens.at(-1),
    )
  }
})

t.test(
  "a target that is no point, and a nonce that is of no key, are refused before anything is asked",
  async (t) => {
    const { fixture, providers, code, attempt } = await shop(t)
    const { parameters } = code()
    for (const bearerTokenTargetPublicKey of [`02${"ff".repeat(32)}`, "04".repeat(65), "00".repeat(40)]) {
      const attack = () => attempt({ ...parameters, bearerTokenTargetPublicKey })
      await refused(t, fixture, "TARGET_KEY_INVALID", attack, bearerTokenTargetPublicKey)
    }
    const { nonce } = parameters
    for (const other of ["x", nonce.toUpperCase(), nonce.slice(1), `${nonce}0`, ` ${nonce.slice(1)}`])
      await refused(t, fixture, "OAUTH2_NONCE_INVALID", () => attempt({ ...parameters, nonce: other }), other)
    t.same(providers.asked, [])
  },
)

t.test(
  "a service without an issuer of its own exchanges nothing, and its tokens count nowhere",
  async (t) => {
    const { fixture, code, exchange, providers } = await shop(t)
    const token = await exchange(code().parameters)
    const asked = providers.asked.length
    await fixture.boundary.restart(() => delete fixture.boundary.settings["COUNTERSIGN_SIGNER_OIDC_ISSUER"])
    const { attempt } = asRoot(fixture)
    const parameters = code().parameters
    await refused(t, fixture, "OAUTH2_ISSUER_UNCONFIGURED", () => attempt(OAUTH2_AUTHENTICATE, parameters))
    t.equal(providers.asked.length, asked)
    const oauthProviders = [{ providerName: "x", oidcToken: token }]
    const identity = () =>
      attempt("CREATE_OAUTH_PROVIDERS_V2", { userId: fixture.acme.rootUserId, oauthProviders })
    await refused(t, fixture, "ISSUER_NOT_ALLOWED", identity)
  },
)

t.test("F18: a code is worth nothing with another redirect, verifier, client or a second time", async (t) => {
  const { fixture, providers, code, attempt, exchange } = await shop(t)
  const other = await oauth2Application(fixture, fixture.acme)
  const changes: [what: string, changes: object, fault: string][] = [
    ["another redirect", { redirectUri: "https://evil.example/done" }, "redirect URI"],
    ["a redirect that only begins alike", { redirectUri: "https://app.example/done" }, "redirect URI"],
    ["another verifier", { codeVerifier: "a".repeat(43) }, "verifier"],
    ["another client of the organization", { oauth2CredentialId: other.oauth2CredentialId }, "code"],
    ["a code that nobody issued", { authCode: "b".repeat(32) }, "code"],
  ]
  for (const [what, change, fault] of changes) {
    await refused(t, fixture, "OAUTH2_REFUSED", () => attempt({ ...code().parameters, ...change }), what)
    t.equal(providers.faults.at(-1), fault, what)
  }
  const { parameters } = code()
  await exchange(parameters)
  const answer = await attempt(parameters)
  t.match(answer, { ...REFUSED, sentence: /^X refuses the login with status 400: invalid_grant, / })
  t.notMatch(answer.is === "refused" && answer.sentence, /top secret|as it was sent/)
})

t.test("F18: another organization uses neither the credential nor its record or secret", async (t) => {
  const { fixture, providers, code, oauth2CredentialId, encryptedClientSecret, clientId } = await shop(t)
  const { client } = fixture
  const thief = { client, acme: await client.createOrganization("Thief") }
  const { attempt } = asRoot(thief)
  const { parameters } = code()
  const record = client.records.get(oauth2CredentialId)!
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => attempt(OAUTH2_AUTHENTICATE, parameters))
  const body = client.body(`ACTIVITY_TYPE_${OAUTH2_AUTHENTICATE}`, thief.acme.organizationId, parameters)
  const document = client.documents.get(thief.acme.organizationId)!
  const moved = () => client.order(body, stampWith(thief.acme.root, body), { document, records: [record] })
  await refused(t, fixture, "RESOURCE_UNKNOWN", moved, "with the owner's record")
  const again = { provider: "OAUTH2_PROVIDER_X", clientId, encryptedClientSecret }
  await refused(t, fixture, "CLIENT_SECRET_INVALID", () => attempt("CREATE_OAUTH2_CREDENTIAL", again))
  t.same(providers.asked, [])
})

t.test("F18: no client of Discord's is a user of X, and a token's subject names the provider", async (t) => {
  const { fixture, code, exchange, clientId } = await shop(t)
  const { client, acme } = fixture
  const ann = await childWith(fixture, await exchange(code({ user: xUser("42") }).parameters))
  const discord = await oauth2Application(fixture, acme, "DISCORD")
  discord.providers.secrets.set(discord.clientId, "s3cret & more: +%")
  t.not(discord.clientId, clientId)
  const other = discord.code({ user: discordUser("42") })
  const token = await exchange(other.parameters)
  t.equal(claimsIn(token)["sub"], "discord:42")
  const body = client.body(LOGIN, ann.organizationId, oauthParams(new AttestedKey(other.key, token)))
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => client.offer(body, stampWith(acme.root, body)))
})
