// Stamps by keys that an ID token attests: for logins and votes, of the identity's user.
import { createHash } from "node:crypto"
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { AttestedKey, nonceOf } from "../harness/attested.ts"
import { issuerKey } from "../harness/id-token.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { attestedKey, claimsOfSession, identityChild } from "./oidc-fixture.ts"
import { refused, setup } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"

t.test("an attested login opens a session, also where it names only the parent", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const alice = await identityChild(fixture)
  await identityChild(fixture, "bob")
  await boundary.restart()
  for (const organizationId of [alice.organizationId, acme.organizationId]) {
    for (const binding of ["nonce", "tknonce"]) {
      const key = newKey()
      const claims = { nonce: "another", [binding]: nonceOf(key) }
      const by = new AttestedKey(key, fixture.fakeFetcher.token({ sub: "alice", ...claims }))
      const outcome = await client.submit(by, LOGIN, organizationId, { publicKey: key.publicKeyHex })
      t.equal(outcome.organizationId, alice.organizationId)
      const { session } = valueOf(outcome, "stampLoginResult")
      const owner = { organization_id: alice.organizationId, user_id: alice.rootUserId }
      t.match(claimsOfSession(session), { public_key: key.publicKeyHex, ...owner })
      const signed = client.body(
        "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
        alice.organizationId,
        signParams(alice.address),
      )
      t.match(await client.send(signed, key), { is: "outcome" }, "the session stamps")
    }
  }
})

t.test("A5: an attested stamp of another key, body, time, issuer or person opens nothing", async (t) => {
  const fixture = await setup(t)
  const { client, fakeFetcher, boundary, acme } = fixture
  const { organizationId } = await identityChild(fixture)
  const { organizationId: bobs } = await identityChild(fixture, "bob")
  const body = (id = organizationId) => client.body(LOGIN, id, { publicKey: newKey().publicKeyHex })
  const offer = (by: AttestedKey, id?: string) => () => {
    const text = body(id)
    return client.offer(text, { xStampAttested: by.stamp(text) })
  }
  const good = attestedKey(fixture)
  t.match(await client.send(body(), good), { is: "outcome" }, "the unaltered twin")

  const another = newKey()
  await refused(
    t,
    fixture,
    "STAMP_KEY_UNATTESTED",
    offer(new AttestedKey(another, good.token)),
    "another key",
  )
  const text = body()
  const altered = [
    { body: `${text} `, what: "another body", header: good.stamp(text) },
    {
      body: text,
      what: "another signer",
      header: new AttestedKey(another, good.token).stamp(text, { publicKey: good.key.publicKeyHex }),
    },
  ]
  for (const { body: sent, header, what } of altered)
    await refused(t, fixture, "STAMP_INVALID", () => client.offer(sent, { xStampAttested: header }), what)
  const nowSeconds = Math.floor(boundary.nowMs() / 1000)
  const forged = issuerKey("p256", "first")
  const key = newKey()
  const tokens = {
    "an expired token": fakeFetcher.token({ nonce: nonceOf(key), exp: nowSeconds - 61 }),
    "a token of a later time": fakeFetcher.token({ nonce: nonceOf(key), iat: nowSeconds + 300 }),
    "a token that another key signed": fakeFetcher.token({ nonce: nonceOf(key) }, forged),
    "a token of an unknown key": fakeFetcher.token({ nonce: nonceOf(key) }, issuerKey("p256", "unknown")),
  }
  for (const [what, token] of Object.entries(tokens))
    await refused(t, fixture, "OIDC_TOKEN_INVALID", offer(new AttestedKey(key, token)), what)
  for (const changes of [{ aud: "another app" }, { sub: "mallory" }])
    await refused(
      t,
      fixture,
      "IDENTITY_UNKNOWN",
      offer(attestedKey(fixture, changes)),
      JSON.stringify(changes),
    )
  for (const id of [bobs, acme.organizationId])
    await refused(
      t,
      fixture,
      "IDENTITY_UNKNOWN",
      offer(attestedKey(fixture, { sub: id === bobs ? "alice" : "x" }), id),
    )
  const both = { xStamp: stampWith(acme.root, text), xStampAttested: good.stamp(text) }
  await refused(t, fixture, "STAMP_MALFORMED", () => client.offer(text, both), "two stamps")
  const token = good.stamp(text, { scheme: "STAMP_ATTESTED_SCHEME_P256_OTHER" })
  await refused(t, fixture, "STAMP_SCHEME_UNKNOWN", () => client.offer(text, { xStampAttested: token }))
})

t.test("A5: an attested stamp is for logins and votes alone", async (t) => {
  const fixture = await setup(t)
  const { client } = fixture
  const { organizationId, rootUserId, address } = await identityChild(fixture)
  const by = attestedKey(fixture)
  const attempts: [string, object][] = [
    ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", signParams(address)],
    ["ACTIVITY_TYPE_UPDATE_USER_NAME", { userId: rootUserId, userName: "mallory" }],
    ["ACTIVITY_TYPE_OAUTH_LOGIN", { oidcToken: by.token, publicKey: by.key.publicKeyHex }],
  ]
  for (const [type, parameters] of attempts) {
    const body = client.body(type, organizationId, parameters)
    const attack = () => client.offer(body, { xStampAttested: by.stamp(body) })
    await refused(t, fixture, "ATTESTED_STAMP_NOT_ALLOWED", attack, type)
  }
  const large = client.body(LOGIN, organizationId, { publicKey: newKey().publicKeyHex }).padEnd(200_000)
  const attack = () => client.offer(large, { xStampAttested: by.stamp(large) })
  await refused(t, fixture, "ATTESTED_STAMP_NOT_ALLOWED", attack, "a large body")
})

t.test("A4: an attested body runs once, and an identity that was removed opens nothing more", async (t) => {
  const fixture = await setup(t)
  const { client, boundary } = fixture
  const key = newKey()
  const { organizationId, rootUserId } = await identityChild(fixture, "alice", key)
  const by = attestedKey(fixture)
  const body = client.body(LOGIN, organizationId, { publicKey: by.key.publicKeyHex })
  const { decision } = outcomeOf(await client.send(body, by))
  const again = outcomeOf(await client.offer(body, { xStampAttested: by.stamp(body) }))
  t.equal(again.decision?.activityId, decision?.activityId, "until it is acknowledged, the same outcome")
  await client.acknowledge(organizationId, createHash("sha256").update(body).digest("hex"), by.credential)
  const replay = () => client.offer(body, { xStampAttested: by.stamp(body) })
  await refused(t, fixture, "ACTIVITY_REPLAYED", replay)
  const [user] = boundary.signer
    .state()
    .organizations.openCurrent(organizationId, { find: () => undefined } as never).document.users
  const providerIds = user!.oauthProviders.map(({ providerId }) => providerId)
  await client.submit(key, "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS", organizationId, {
    userId: rootUserId,
    providerIds,
  })
  const next = client.body(LOGIN, organizationId, { publicKey: newKey().publicKeyHex })
  await refused(t, fixture, "IDENTITY_UNKNOWN", () => client.offer(next, { xStampAttested: by.stamp(next) }))
})

t.test(
  "an attested approval satisfies an MFA policy, and its own session does not do so twice",
  async (t) => {
    const fixture = await setup(t)
    const { client } = fixture
    const key = newKey()
    const { organizationId, rootUserId: userId, address } = await identityChild(fixture, "alice", key)
    const policy = {
      userId,
      mfaPolicyName: "both",
      condition: "activity.action == 'SIGN'",
      requiredAuthenticationMethods: [
        { any: [{ type: "AUTHENTICATION_TYPE_API_KEY" }, { type: "AUTHENTICATION_TYPE_SESSION" }] },
        { any: [{ type: "AUTHENTICATION_TYPE_OAUTH" }] },
      ],
      order: 0,
    }
    await client.submit(key, "ACTIVITY_TYPE_CREATE_MFA_POLICY", organizationId, policy)
    const by = attestedKey(fixture)
    const login = await client.submit(by, LOGIN, organizationId, { publicKey: by.key.publicKeyHex })
    t.equal(login.organizationId, organizationId)
    const wait = async (signer: TestKey) => {
      const { activityFingerprint } = await client.submit(
        signer,
        "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
        organizationId,
        signParams(address),
      )
      return { fingerprint: `sha256:${Buffer.from(activityFingerprint).toString("hex")}` }
    }
    const approval = (parameters: object) =>
      client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, parameters)
    const approved = await client.send(approval(await wait(key)), by)
    t.equal(outcomeOf(approved).status, ActivityStatus.COMPLETED, "beside a key of the user")
    const body = approval(await wait(by.key))
    const attack = () => client.offer(body, { xStampAttested: by.stamp(body) })
    await refused(t, fixture, "VOTE_REPEATED", attack, "beside a session of the identity")
  },
)
