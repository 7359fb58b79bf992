// Codes of X and Discord: what the API tier, another tenant, or a provider can do with a login on its way.
import { generateKeyPairSync } from "node:crypto"
import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import {
  FetchOrderSchema,
  type FetchedStatement,
  FetchStatementSchema,
  type Oauth2ExchangeTask,
  Oauth2ExchangeTaskSchema,
  type SignedFetchOrder,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { openSealedKey } from "../../signer/core/fetch-orders/on-ramp-key.ts"
import { decodeSealedKey } from "../../signer/core/fetch-orders/sealed-key-text.ts"
import { makeOrder } from "../../signer/core/fetch-orders/order.ts"
import { p256Point } from "../../signer/core/crypto/p256.ts"
import { type Answer, valueOf } from "../harness/api-client.ts"
import { AttestedKey, nonceOf } from "../harness/attested.ts"
import { OWN_ISSUER } from "../harness/fake-fetcher.ts"
import { idToken, issuerKey } from "../harness/id-token.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { claimsIn, discordUser, oauth2Application, xUser } from "./oauth2-fixture.ts"
import { oauthParams } from "./oidc-fixture.ts"
import { restated } from "./restated.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

const TYPE = "OAUTH2_AUTHENTICATE"
const LOGIN = "ACTIVITY_TYPE_OAUTH_LOGIN"
const REFUSED = { is: "refused", code: "OAUTH2_REFUSED" }

/** A sub-organization whose root user has these identities alone. */
function childWith({ client, acme }: Fixture, oidcToken: string) {
  const oauthProviders = [{ providerName: "x", oidcToken }]
  const rootUsers = [{ userName: "ann", apiKeys: [], authenticators: [], oauthProviders }]
  return child(client, acme, { rootUsers })
}

async function shop(t: Parameters<typeof setup>[0], provider?: "DISCORD") {
  const fixture = await setup(t)
  const application = await oauth2Application(fixture, fixture.acme, provider)
  const root = asRoot(fixture)
  const exchange = async (parameters: object): Promise<string> => {
    fixture.boundary.clock.pass(1)
    return valueOf(await root.submit(TYPE, parameters), "oauth2AuthenticateResult").oidcToken
  }
  const attempt = (parameters: object) => {
    fixture.boundary.clock.pass(1)
    return root.attempt(TYPE, parameters)
  }
  return { fixture, ...application, exchange, attempt }
}

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
    await refused(t, fixture, "OAUTH2_ISSUER_UNCONFIGURED", () => attempt(TYPE, parameters))
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
  await refused(t, fixture, "RESOURCE_UNKNOWN", () => attempt(TYPE, parameters))
  const body = client.body(`ACTIVITY_TYPE_${TYPE}`, thief.acme.organizationId, parameters)
  const document = client.documents.get(thief.acme.organizationId)!
  const moved = () => client.order(body, stampWith(thief.acme.root, body), { document, records: [record] })
  const answer = await moved()
  t.equal(answer.is, "refused", "with the owner's record")
  const again = { provider: "OAUTH2_PROVIDER_X", clientId, encryptedClientSecret }
  await refused(t, fixture, "CLIENT_SECRET_INVALID", () => attempt("CREATE_OAUTH2_CREDENTIAL", again))
  t.same(providers.asked, [])
})

t.test(
  "F18: the fetcher opens a bound secret for its organization alone, and only in a signed order",
  async (t) => {
    const { fixture, providers, code } = await shop(t)
    const { order, task } = await ordered(fixture, code().parameters)
    const elsewhere = await fixture.client.createOrganization("Elsewhere")
    const bound = await boundSecret(fixture, fixture.acme.organizationId)
    const sealed = { ...plain(task), sealedSecret: bound }
    providers.secrets.set(task.clientId, "bound")
    const stranger = reordered(fixture, { ...sealed }, elsewhere.organizationId)
    t.match(findingOf(await fixture.fakeFetcher.fetch(stranger)), {
      case: "refused",
      value: { code: RefusalCode.CLIENT_SECRET_OF_ANOTHER_ORGANIZATION },
    })
    t.same(providers.asked, [])
    const own = reordered(fixture, { ...sealed }, fixture.acme.organizationId)
    t.match(findingOf(await fixture.fakeFetcher.fetch(own)), { case: "oauth2Exchanged" }, "its own twin")
    const broken = reordered(
      fixture,
      { ...sealed, sealedSecret: bound.subarray(1) },
      fixture.acme.organizationId,
    )
    t.match(findingOf(await fixture.fakeFetcher.fetch(broken)), {
      case: "refused",
      value: { code: RefusalCode.CLIENT_SECRET_INVALID },
    })
    const altered = { ...order, order: Uint8Array.from(order.order) }
    altered.order[altered.order.length - 3]! ^= 1
    await t.rejects(fixture.fakeFetcher.fetch(altered as SignedFetchOrder), { code: "FETCH_ORDER_FORGED" })
    await fixture.fakeFetcher.fetch(order)
    await t.rejects(fixture.fakeFetcher.fetch(order), { code: "FETCH_ORDER_SPENT" }, "an order's second use")
  },
)

t.test(
  "F18: a statement counts for its own order alone, while it is fresh, and as the fetcher signed it",
  async (t) => {
    const { fixture, code } = await shop(t)
    const { boundary, client, acme } = fixture
    const victim = code()
    const { fetched, send } = await asked(fixture, victim.parameters)
    const other = await asked(fixture, code({ user: xUser("43") }).parameters)
    const moved = { ...other.fetched, statement: fetched.statement } as FetchedStatement
    await refused(t, fixture, "STATEMENT_INVALID", () => other.send(moved), "under another order")
    await refused(t, fixture, "STATEMENT_INVALID", () => other.send(fetched), "for another request")
    const token = idToken({ ...claimsIn(tokenOf(fetched)), sub: "x:1" }, issuerKey("p256", "forged"))
    const invented = restated(fetched, {
      finding: { case: "oauth2Exchanged", value: { oidcToken: token } },
    } as never)
    await refused(t, fixture, "STATEMENT_INVALID", () => send(invented), "invented by the API tier")
    const asIssuer = async () => {
      const key = newKey()
      const body = client.body(LOGIN, acme.organizationId, oauthParams(new AttestedKey(key, token)))
      return client.offer(body, stampWith(acme.root, body))
    }
    t.match(await asIssuer(), { is: "refused" }, "a token of a key that the API tier publishes")
    boundary.clock.pass(2 * 60 * 1000)
    t.match(await send(fetched), { is: "needed" }, "an order that is over is made anew")
  },
)

t.test(
  "F18: a token of the service counts for the key of its nonce, once, and for its own user",
  async (t) => {
    const { fixture, code, exchange } = await shop(t)
    const { client, acme, fakeFetcher } = fixture
    const ann = await childWith(fixture, await exchange(code().parameters))
    const login = (by: AttestedKey, parameters: object = {}) => {
      const body = client.body(LOGIN, ann.organizationId, oauthParams(by, parameters))
      return () => client.offer(body, stampWith(acme.root, body))
    }
    const mallory = code({ user: xUser("43") })
    const theirs = new AttestedKey(mallory.key, await exchange(mallory.parameters))
    await refused(t, fixture, "RESOURCE_UNKNOWN", login(theirs), "another user of the provider")
    const own = code()
    const token = await exchange(own.parameters)
    const parents = newKey()
    const attack = login(new AttestedKey(parents, token))
    await refused(t, fixture, "OIDC_NONCE_WRONG", attack, "the key of whoever asks")
    const forged = idToken({ ...claimsIn(token), nonce: nonceOf(parents) }, fakeFetcher.issuerKeys[0]!)
    await refused(
      t,
      fixture,
      "OIDC_TOKEN_INVALID",
      login(new AttestedKey(parents, forged)),
      "another issuer's key",
    )
    const kid = JSON.parse(Buffer.from(token.split(".")[0]!, "base64url").toString()) as { kid: string }
    const named = idToken({ ...claimsIn(token), nonce: nonceOf(parents) }, issuerKey("p256", kid.kid))
    await refused(
      t,
      fixture,
      "OIDC_TOKEN_INVALID",
      login(new AttestedKey(parents, named)),
      "under the key's id",
    )
    const before = fakeFetcher.asked
    const good = login(new AttestedKey(own.key, token))
    t.match(
      await client.send(
        client.body(LOGIN, ann.organizationId, oauthParams(new AttestedKey(own.key, token))),
        acme.root,
      ),
      {
        is: "outcome",
      },
    )
    fixture.boundary.clock.pass(1)
    await refused(t, fixture, "OIDC_TOKEN_USED", good, "a second time")
    t.equal(fakeFetcher.asked, before, "no network is asked for the service's own key")
  },
)

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

t.test("F19: a provider that lies, is late, large or cut off gives no token", async (t) => {
  const { fixture, providers, code, attempt } = await shop(t)
  const token = JSON.stringify({ token_type: "bearer", access_token: "abc" })
  const lies: [what: string, next: (typeof providers.next)[number][]][] = [
    ["HTML", [{ body: "<html>sign in</html>" }]],
    ["no token", [{ body: "{}" }]],
    ["a token of another type", [{ body: JSON.stringify({ token_type: "mac", access_token: "abc" }) }]],
    [
      "a token that would end the header",
      [{ body: JSON.stringify({ token_type: "bearer", access_token: "a\r\nx: y" }) }],
    ],
    ["too much", [{ body: "x".repeat(300_000) }]],
    ["two members of one name", [{ body: '{"token_type":"bearer","access_token":"a","access_token":"b"}' }]],
    ["a redirect", [{ status: 302, headers: { location: "https://evil.example/" } }]],
    ["a token, and HTML for the user", [{ body: token }, { body: "<html>" }]],
    ["a user without id", [{ body: token }, { body: '{"data":{"name":"ann"}}' }]],
    ["an id that is a number", [{ body: token }, { body: '{"data":{"id":42}}' }]],
    ["an id with another provider's prefix", [{ body: token }, { body: '{"data":{"id":"discord:42"}}' }]],
    ["Discord's form from X", [{ body: token }, { body: '{"id":"42"}' }]],
    ["no data", [{ body: token }, { body: '{"errors":[{"message":"legacy plan"}]}' }]],
    ["a refusal of the user", [{ body: token }, { status: 403, body: '{"detail":"secret"}' }]],
  ]
  for (const [what, next] of lies) {
    providers.next.push(...next)
    await refused(t, fixture, "OAUTH2_REFUSED", () => attempt(code().parameters), what)
    providers.next.length = 0
  }
  const passing: [what: string, next: (typeof providers.next)[number][]][] = [
    ["cut off", [{ body: token, cut: 10 }]],
    ["a fault", [{ status: 503, body: token }]],
    ["too many requests", [{ status: 429 }]],
    ["a fault at the user", [{ body: token }, { status: 500 }]],
  ]
  for (const [what, next] of passing) {
    providers.next.push(...next)
    await refused(t, fixture, "OAUTH2_UNAVAILABLE", () => attempt(code().parameters), what)
    providers.next.length = 0
  }
  t.match(await attempt(code().parameters), { is: "outcome" })
})

t.test("F19: a wrong client secret is named, and no text of the provider is repeated", async (t) => {
  const { providers, code, attempt, clientId } = await shop(t)
  providers.secrets.set(clientId, "another")
  const answer = await attempt(code().parameters)
  t.match(answer, { ...REFUSED, sentence: /^X refuses the login with status 401: invalid_client, / })
  t.notMatch(answer.is === "refused" && answer.sentence, /top secret|s3cret/)
  providers.next.push({ status: 400, body: JSON.stringify({ error: "<b>s3cret</b>" }) })
  const other = await attempt(code().parameters)
  t.match(other, { ...REFUSED, sentence: "X refuses the login with status 400: log in there again" })
})

/** The signer's order for a request, and the request's answer to statements. */
async function asked({ client, acme, fakeFetcher, boundary }: Fixture, parameters: object) {
  boundary.clock.pass(1)
  const body = client.body(`ACTIVITY_TYPE_${TYPE}`, acme.organizationId, parameters)
  const xStamp = stampWith(acme.root, body)
  const document = client.documents.get(acme.organizationId)!
  const records = [...client.records.values()]
  const send = (...fetched: FetchedStatement[]): Promise<Answer> =>
    client.order(body, xStamp, { document, records, fetched })
  const answer = await send()
  if (answer.is !== "needed") throw new Error(`the signer asks for nothing: ${JSON.stringify(answer)}`)
  const [order] = answer.needed.fetchOrders
  return { order: order!, fetched: await fakeFetcher.fetch(order!), send }
}

async function ordered(fixture: Fixture, parameters: object) {
  const { client, acme, boundary } = fixture
  boundary.clock.pass(1)
  const body = client.body(`ACTIVITY_TYPE_${TYPE}`, acme.organizationId, parameters)
  const document = client.documents.get(acme.organizationId)!
  const answer = await client.order(body, stampWith(acme.root, body), {
    document,
    records: [...client.records.values()],
  })
  if (answer.is !== "needed") throw new Error("the signer asks for nothing")
  const [order] = answer.needed.fetchOrders
  const { task } = fromBinary(FetchOrderSchema, order!.order)
  if (task.case !== "oauth2Exchange") throw new Error("the order is for no exchange")
  return { order: order!, task: task.value }
}

function plain(task: Oauth2ExchangeTask): MessageInitShape<typeof Oauth2ExchangeTaskSchema> {
  const { $typeName: _, ...members } = task
  return members
}

/** An order that the notarizer signs, as a signer that was taken over would make it. */
function reordered(
  { boundary }: Fixture,
  task: MessageInitShape<typeof Oauth2ExchangeTaskSchema>,
  organizationId: string,
): SignedFetchOrder {
  const { keyring, random } = boundary.signer.state()
  const value = create(Oauth2ExchangeTaskSchema, task)
  const request = { organizationId, requestFingerprint: new Uint8Array(32) }
  const sign = (tag: string, bytes: Uint8Array) => keyring.notary.sign(tag, bytes)
  return makeOrder({ case: "oauth2Exchange", value }, request, boundary.clock.wallMs(), { sign, random })
}

async function boundSecret({ fakeFetcher }: Fixture, organizationId: string): Promise<Uint8Array> {
  const text = `countersign/v1/client-secret:${organizationId}:bound`
  return Buffer.from(await fakeFetcher.sealClientSecret(text), "hex")
}

function findingOf({ statement }: FetchedStatement) {
  return fromBinary(FetchStatementSchema, statement!.statement).finding
}

function tokenOf(fetched: FetchedStatement): string {
  const finding = findingOf(fetched)
  if (finding.case !== "oauth2Exchanged") throw new Error("the statement holds no token")
  return finding.value.oidcToken
}
