import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refused, type Fixture, setup } from "../../../../hostile/setup.ts"
import { apiKey, outcomeOf, type Tenant, userParams, valueOf } from "../../../../harness/api-client.ts"
import { issuerKey } from "../../../../harness/id-token.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { subOrganization } from "../../../../harness/sub-organization.ts"

const V2 = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
const DELETE = "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS"

/** An identity with a token of the stage's issuer. */
const byToken = (oidcToken: string, providerName = "idp") => ({ providerName, oidcToken })
const byClaims = (iss: string, sub: string, aud: string) => ({
  providerName: "linked",
  oidcClaims: { iss, sub, aud },
})

function usersOf({ client }: Fixture, organizationId: string) {
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(organizationId)!)
  return fromBinary(OrganizationDocumentSchema, document).users
}

/** Requests of an organization's root user about their own identities. */
function asOwn({ client }: Fixture, tenant: Tenant) {
  const { organizationId, root, rootUserId: userId } = tenant
  return {
    add: (...oauthProviders: object[]) => client.submit(root, V2, organizationId, { userId, oauthProviders }),
    attempt: (...oauthProviders: object[]) =>
      client.send(client.body(V2, organizationId, { userId, oauthProviders }), root),
  }
}

t.test("an identity is stored as in its token, and the token is not stored", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher, boundary } = fixture
  const token = fakeFetcher.token({ aud: ["app"], email: "alice@example.com" })
  const outcome = await asOwn(fixture, acme).add(byToken(token, "Example"))
  const { providerIds } = valueOf(outcome, "createOauthProvidersResultV2")
  const [user] = usersOf(fixture, acme.organizationId)
  const createdAtMs = BigInt(boundary.clock.wallMs())
  t.match(user?.oauthProviders, [
    {
      providerId: providerIds[0],
      name: "Example",
      issuer: fakeFetcher.issuer,
      audience: "app",
      subject: "alice",
      createdAtMs,
    },
  ])
  t.notOk(Buffer.from(client.documents.get(acme.organizationId)!).includes(token.slice(-40)))
  t.notOk(Buffer.from(client.documents.get(acme.organizationId)!).includes("alice@example.com"))
})

t.test("identities come with the first version, with new users and with new sub-organizations", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher } = fixture
  const { organizationId, root } = acme
  const first = await client.submit(root, "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS", organizationId, {
    userId: acme.rootUserId,
    oauthProviders: [byToken(fakeFetcher.token({ sub: "one" }))],
  })
  t.equal(valueOf(first, "createOauthProvidersResult").providerIds.length, 1)
  for (const version of ["V3", "V4"]) {
    const user = {
      ...userParams(`user ${version}`),
      oauthProviders: [byToken(fakeFetcher.token({ sub: version }))],
    }
    await client.submit(root, `ACTIVITY_TYPE_CREATE_USERS_${version}`, organizationId, { users: [user] })
  }
  const subjects = usersOf(fixture, organizationId).flatMap(({ oauthProviders }) =>
    oauthProviders.map(({ subject }) => subject),
  )
  t.strictSame(subjects, ["one", "V3", "V4"])

  const parameters = subOrganization([{ name: "customer", key: newKey() }])
  const [customer] = parameters.rootUsers
  const oauthProviders = [
    byToken(fakeFetcher.token({ sub: "one" })),
    byClaims(fakeFetcher.issuer, "one", "mobile"),
  ]
  const rootUsers = [{ ...customer, apiKeys: [], oauthProviders }]
  const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8"
  const madeOrganization = await client.submit(root, type, organizationId, { ...parameters, rootUsers })
  const { subOrganizationId } = valueOf(madeOrganization, "createSubOrganizationResultV8")
  const [created] = madeOrganization.createdOrganizations
  const document = fromBinary(NotarizedDocumentSchema, created!.document).document
  const { organizationId: bornId, users } = fromBinary(OrganizationDocumentSchema, document)
  t.equal(bornId, subOrganizationId)
  t.match(users[0]?.oauthProviders, [
    { subject: "one", audience: "app" },
    { subject: "one", audience: "mobile" },
  ])
})

t.test("claims without a token are accepted beside a token of the same subject", async (t) => {
  const fixture = await setup(t)
  const { acme, fakeFetcher } = fixture
  const { add, attempt } = asOwn(fixture, acme)
  const { issuer } = fakeFetcher
  const code = "OIDC_TOKEN_INVALID"
  const alone = () => attempt(byClaims(issuer, "alice", "mobile"))
  await refused(t, fixture, code, alone, "claims alone")
  const other = () => attempt(byToken(fakeFetcher.token()), byClaims(issuer, "bob", "mobile"))
  await refused(t, fixture, code, other, "beside a token of somebody else")
  const elsewhere = () =>
    attempt(byToken(fakeFetcher.token()), byClaims("https://other.example", "alice", "app"))
  await refused(t, fixture, code, elsewhere, "of another issuer")
  await add(byClaims(issuer, "alice", "mobile"), byToken(fakeFetcher.token()))
  await add(byClaims(issuer, "alice", "desktop"))
  t.equal(
    usersOf(fixture, acme.organizationId)[0]?.oauthProviders.length,
    3,
    "also beside an identity of the user",
  )
  const alice = await fixture.client.user(acme, "alice")
  const parameters = { userId: alice.userId, oauthProviders: [byClaims(issuer, "alice", "tablet")] }
  const answer = () =>
    fixture.client.send(fixture.client.body(V2, acme.organizationId, parameters), acme.root)
  await refused(t, fixture, code, answer, "not beside an identity of another user")
})

t.test("a provider has exactly one of token and claims", async (t) => {
  const fixture = await setup(t)
  const { fakeFetcher } = fixture
  const { attempt } = asOwn(fixture, fixture.acme)
  const both = { ...byToken(fakeFetcher.token()), ...byClaims(fakeFetcher.issuer, "alice", "app") }
  await refused(t, fixture, "REQUEST_INVALID", () => attempt(both), "both")
  await refused(t, fixture, "REQUEST_INVALID", () => attempt({ providerName: "none" }), "neither")
  const odd = byClaims("accounts.example", "alice", "app")
  await refused(t, fixture, "REQUEST_INVALID", () => attempt(odd), "an issuer that is none")
  t.match(await attempt(both), { field: "parameters.oauthProviders[0]" })
})

t.test("an invalid token registers no identity", async (t) => {
  const fixture = await setup(t)
  const { fakeFetcher, boundary } = fixture
  const { attempt } = asOwn(fixture, fixture.acme)
  const now = Math.floor(boundary.clock.wallMs() / 1000)
  const faulty: [what: string, token: string][] = [
    ["expired", fakeFetcher.token({ exp: now - 60 })],
    ["for several applications", fakeFetcher.token({ aud: ["app", "other"] })],
    ["signed by another key", fakeFetcher.token({}, issuerKey("p256", "first"))],
    ["no token", "token"],
  ]
  for (const [what, token] of faulty) {
    await refused(t, fixture, "OIDC_TOKEN_INVALID", () => attempt(byToken(token)), what)
  }
  t.match(await attempt(byToken("token")), { field: "parameters.oauthProviders[0].oidcToken" })
  const stranger = fakeFetcher.token({ iss: "https://accounts.example" })
  await refused(
    t,
    fixture,
    "ISSUER_NOT_ALLOWED",
    () => attempt(byToken(stranger)),
    "an issuer that is not listed",
  )
  const good = byToken(fakeFetcher.token())
  const spoiled = () => attempt(good, byToken(fakeFetcher.token({ sub: "bob", exp: now - 60 })))
  await refused(t, fixture, "OIDC_TOKEN_INVALID", spoiled, "a good one beside a bad one")
  t.match(await attempt(good), { is: "outcome" })
})

t.test("an identity belongs to one user of an organization", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher } = fixture
  const { add, attempt } = asOwn(fixture, acme)
  await add(byToken(fakeFetcher.token()))
  const again = () => attempt(byToken(fakeFetcher.token()))
  await refused(t, fixture, "IDENTITY_TAKEN", again, "the same once more")
  const doubled = () =>
    attempt(byToken(fakeFetcher.token({ sub: "bob" })), byToken(fakeFetcher.token({ sub: "bob" })))
  await refused(t, fixture, "IDENTITY_TAKEN", doubled, "twice in a request")
  const alice = await client.user(acme, "alice")
  const parameters = { userId: alice.userId, oauthProviders: [byToken(fakeFetcher.token())] }
  const forAlice = () => client.send(client.body(V2, acme.organizationId, parameters), acme.root)
  await refused(t, fixture, "IDENTITY_TAKEN", forAlice, "for another user")
  await add(byToken(fakeFetcher.token({ aud: "other app" })))
  const globex = await client.createOrganization("Globex")
  await asOwn(fixture, globex).add(byToken(fakeFetcher.token()))
  t.equal(
    usersOf(fixture, globex.organizationId)[0]?.oauthProviders.length,
    1,
    "another organization is free",
  )
})

t.test("a user has as many identities as the operator allows", async (t) => {
  const fixture = await setup(t, { COUNTERSIGN_SIGNER_MAX_OAUTH_PROVIDERS: "10" })
  const { fakeFetcher } = fixture
  const { add, attempt } = asOwn(fixture, fixture.acme)
  const some = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => byToken(fakeFetcher.token({ sub: `${from + index}` })))
  await add(...some(0, 9))
  await refused(t, fixture, "LIMIT_EXCEEDED", () => attempt(...some(9, 11)))
  await add(...some(9, 10))
  await refused(t, fixture, "LIMIT_EXCEEDED", () => attempt(...some(10, 11)))
})

t.test("identities can be removed, but not a user's last credential", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher } = fixture
  const { organizationId, root } = acme
  const oauthProviders = [
    byToken(fakeFetcher.token({ sub: "one" })),
    byToken(fakeFetcher.token({ sub: "two" })),
  ]
  const users = [{ ...userParams("carol"), oauthProviders }]
  await client.submit(root, "ACTIVITY_TYPE_CREATE_USERS_V4", organizationId, { users })
  const carol = () => usersOf(fixture, organizationId).find(({ name }) => name === "carol")!
  const { userId } = carol()
  const [one, two] = carol().oauthProviders.map(({ providerId }) => providerId)
  const remove = (...providerIds: (string | undefined)[]) => {
    const body = client.body(DELETE, organizationId, { userId, providerIds })
    return () => client.send(body, root)
  }
  const stranger = "00000000-0000-4000-8000-000000000000"
  await refused(t, fixture, "RESOURCE_UNKNOWN", remove(one, stranger), "an identity of another user")
  await refused(t, fixture, "LAST_CREDENTIAL", remove(one, two), "all identities of the user")
  const outcome = outcomeOf(await remove(one)())
  t.strictSame(valueOf(outcome, "deleteOauthProvidersResult").providerIds, [one])
  t.strictSame(
    carol().oauthProviders.map(({ providerId }) => providerId),
    [two],
  )
  await refused(t, fixture, "LAST_CREDENTIAL", remove(two), "the last one")
  const apiKeys = [apiKey(newKey())]
  await client.submit(root, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", organizationId, { userId, apiKeys })
  t.match(await remove(two)(), { is: "outcome" })
  await asOwn(fixture, acme).add(byToken(fakeFetcher.token({ sub: "one" })))
})

t.test("users manage only their own identities", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher } = fixture
  const alice = await client.user(acme, "alice")
  const oauthProviders = [byToken(fakeFetcher.token())]
  const own = { userId: alice.userId, oauthProviders }
  const outcome = await client.submit(alice.key, V2, acme.organizationId, own)
  const { providerIds } = valueOf(outcome, "createOauthProvidersResultV2")
  await client.submit(alice.key, DELETE, acme.organizationId, { userId: alice.userId, providerIds })
  const others = { userId: acme.rootUserId, oauthProviders }
  t.equal(await client.refused(alice.key, V2, acme.organizationId, others), "PERMISSION_DENIED")
})

t.test("a token of a pending activity must be valid when the last vote arrives", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher, boundary } = fixture
  const { organizationId, root } = acme
  const alice = await client.user(acme, "alice")
  const quorum = { threshold: 2, userIds: [acme.rootUserId, alice.userId] }
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const proposed = async (sub: string) => {
    const oauthProviders = [byToken(fakeFetcher.token({ sub }))]
    const parameters = { userId: acme.rootUserId, oauthProviders }
    const outcome = await client.submit(root, V2, organizationId, parameters)
    t.equal(outcome.status, ActivityStatus.CONSENSUS_NEEDED)
    return { fingerprint: `sha256:${Buffer.from(outcome.activityFingerprint).toString("hex")}` }
  }
  const approve = (parameters: object) =>
    client.submit(alice.key, "ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, parameters)
  const first = await approve(await proposed("in time"))
  t.equal(first.status, ActivityStatus.COMPLETED)
  t.equal(fakeFetcher.asked, 1, "the fetcher is asked only at the deciding vote")
  const [waiting, orphaned] = [await proposed("too late"), await proposed("without an issuer")]
  boundary.clock.pass(11 * 60 * 1000)
  const late = await approve(waiting)
  t.match(late, { status: ActivityStatus.FAILED, failure: { sentence: /it has expired/ } })
  await boundary.restart()
  fakeFetcher.issuerKeys = []
  const gone = await approve(orphaned)
  t.match(
    gone,
    { status: ActivityStatus.FAILED, failure: { sentence: /it has expired/ } },
    "nobody was asked",
  )
  t.equal(usersOf(fixture, organizationId)[0]?.oauthProviders.length, 1)
})
