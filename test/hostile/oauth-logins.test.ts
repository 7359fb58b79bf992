// Logins that the parent asks for: nothing opens without the end user's token for the session's key.
import t from "tap"
import { outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { AttestedKey, nonceOf } from "../harness/attested.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { attestedKey, claimsOfSession, identityChild, loginServer, oauthParams } from "./oidc-fixture.ts"
import { refused, setup } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_OAUTH_LOGIN"

/** A family, and attempts of a user of the parent to log in somebody in `organizationId`. */
async function setUp(t: { teardown(clean: () => Promise<void>): unknown }, environment = {}) {
  const fixture = await setup(t, environment)
  const server = await loginServer(fixture)
  const alice = await identityChild(fixture, "alice", newKey())
  const { client } = fixture
  const attempt = (parameters: object, organizationId = alice.organizationId, by = server.key) => {
    const body = client.body(LOGIN, organizationId, parameters)
    return () => client.offer(body, stampWith(by, body))
  }
  return { fixture, server, alice, attempt }
}

t.test(
  "a user of the parent opens a session for an end user who has proven their identity for its key",
  async (t) => {
    const { fixture, server, alice } = await setUp(t)
    const { client } = fixture
    const by = attestedKey(fixture)
    const outcome = await client.submit(server.key, LOGIN, alice.organizationId, oauthParams(by))
    t.equal(outcome.organizationId, alice.organizationId)
    t.equal(outcome.decision?.userId, server.userId)
    const { session } = valueOf(outcome, "oauthLoginResult")
    const owner = { organization_id: alice.organizationId, user_id: alice.rootUserId }
    t.match(claimsOfSession(session), { public_key: by.key.publicKeyHex, ...owner })
    const signed = client.body(
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      alice.organizationId,
      signParams(alice.address),
    )
    t.match(await client.send(signed, by.key), { is: "outcome" }, "the end user stamps")
    await refused(t, fixture, "ORGANIZATION_MISMATCH", async () =>
      client.offer(signed, stampWith(server.key, signed)),
    )
    const own = await client.submit(
      alice.root,
      LOGIN,
      alice.organizationId,
      oauthParams(attestedKey(fixture)),
    )
    t.equal(own.decision?.userId, alice.rootUserId, "the sub-organization's own users may as well")
  },
)

t.test("A8: the parent alone opens no session in a sub-organization", async (t) => {
  const { fixture, server, alice, attempt } = await setUp(t)
  const { client, fakeFetcher, acme, boundary } = fixture
  const good = attestedKey(fixture)
  const parents = newKey()
  const nowSeconds = Math.floor(boundary.nowMs() / 1000)
  const tokenWith = (changes: object) =>
    new AttestedKey(parents, fakeFetcher.token({ nonce: nonceOf(parents), ...changes }))
  const attacks = {
    OIDC_NONCE_WRONG: [
      [
        "a token for the user's key, with the parent's",
        { ...oauthParams(good), publicKey: parents.publicKeyHex },
      ],
      ["a token without nonce", oauthParams(new AttestedKey(parents, fakeFetcher.token()))],
    ],
    RESOURCE_UNKNOWN: [
      ["a token for another application", oauthParams(tokenWith({ aud: "another" }))],
      ["a token of another person", oauthParams(tokenWith({ sub: "mallory" }))],
    ],
    OIDC_TOKEN_INVALID: [
      ["an expired token", oauthParams(tokenWith({ exp: nowSeconds - 61 }))],
      [
        "an altered token",
        oauthParams(new AttestedKey(parents, `${tokenWith({}).token.slice(0, -8)}AAAAAAAA`)),
      ],
      ["no token", { oidcToken: "x", publicKey: parents.publicKeyHex }],
    ],
  } as const
  for (const [code, each] of Object.entries(attacks))
    for (const [what, parameters] of each)
      await refused(t, fixture, code as keyof typeof attacks, attempt(parameters), what)
  const bob = await identityChild(fixture, "bob")
  const tenant = attempt(oauthParams(good), bob.organizationId)
  await refused(t, fixture, "RESOURCE_UNKNOWN", tenant, "a token in another tenant")

  t.match(await client.send(client.body(LOGIN, alice.organizationId, oauthParams(good)), server.key), {
    is: "outcome",
  })
  await refused(t, fixture, "OIDC_TOKEN_USED", attempt(oauthParams(good)), "a token that the parent kept")
  const { key } = await client.user(acme, "no right")
  const denied = await attempt(oauthParams(attestedKey(fixture)), alice.organizationId, key)()
  t.match(
    denied,
    { is: "refused", code: "PERMISSION_DENIED" },
    "a user whom the parent's policies do not allow it",
  )
  const stranger = attempt(oauthParams(attestedKey(fixture)), alice.organizationId, newKey())
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", stranger, "a stranger")
  const sibling = attempt(oauthParams(attestedKey(fixture)), bob.organizationId, alice.root)
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", sibling, "a sibling")
})

t.test("A8: the setting bounds how long after its end an ID token is accepted", async (t) => {
  for (const [COUNTERSIGN_SIGNER_TOKEN_LEEWAY_SECONDS, leeway] of [
    ["300", 300],
    ["0", 0],
  ] as const) {
    const { fixture, attempt } = await setUp(t, { COUNTERSIGN_SIGNER_TOKEN_LEEWAY_SECONDS })
    const { fakeFetcher, boundary } = fixture
    const by = newKey()
    const expiring = (exp: number) =>
      attempt(oauthParams(new AttestedKey(by, fakeFetcher.token({ nonce: nonceOf(by), exp }))))
    const now = Math.floor(boundary.nowMs() / 1000)
    await refused(t, fixture, "OIDC_TOKEN_INVALID", expiring(now - leeway), `${leeway} s after its end`)
    t.match(await expiring(now - leeway + 1)(), { is: "outcome" }, `a second less than ${leeway} s after it`)
  }
})

t.test("A8: the parent's login collects no votes, and completes no MFA", async (t) => {
  const { fixture, alice, attempt } = await setUp(t)
  const { client, acme } = fixture
  const other = await client.user(acme, "asks")
  const second = await client.user(acme, "second")
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_POLICY_V3", acme.organizationId, {
    policyName: "two",
    effect: "EFFECT_ALLOW",
    consensus: [other, second]
      .map(({ userId }) => `approvers.any(user, user.id == '${userId}')`)
      .join(" && "),
    condition: "activity.resource == 'AUTH'",
    notes: "",
  })
  const by = attestedKey(fixture)
  const waits = attempt(oauthParams(by), alice.organizationId, other.key)
  await refused(t, fixture, "PARENT_LOGIN_NOT_ALLOWED", waits, "two approvals")
  await client.submit(acme.root, "ACTIVITY_TYPE_CREATE_MFA_POLICY", acme.organizationId, {
    userId: acme.rootUserId,
    mfaPolicyName: "more",
    condition: "activity.resource == 'AUTH'",
    requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_SESSION" }] }],
    order: 0,
  })
  const mfa = attempt(oauthParams(by), alice.organizationId, acme.root)
  await refused(t, fixture, "PARENT_LOGIN_NOT_ALLOWED", mfa, "the parent's own MFA")
})

t.test("A8: an MFA policy of the end user holds for every caller of the login", async (t) => {
  const { fixture, alice, attempt } = await setUp(t)
  const { client } = fixture
  const demand = (mfaPolicyName: string, order: number, ...types: string[]) =>
    client.submit(alice.root, "ACTIVITY_TYPE_CREATE_MFA_POLICY", alice.organizationId, {
      userId: alice.rootUserId,
      mfaPolicyName,
      condition: "activity.resource == 'AUTH' && activity.action == 'CREATE'",
      requiredAuthenticationMethods: types.map((type) => ({
        any: [{ type: `AUTHENTICATION_TYPE_${type}` }],
      })),
      order,
    })
  await demand("token", 2, "OAUTH")
  t.match(await attempt(oauthParams(attestedKey(fixture)))(), { is: "outcome" }, "the token meets it")
  await demand("both", 1, "OAUTH", "API_KEY")
  await refused(t, fixture, "LOGIN_MFA_NEEDED", attempt(oauthParams(attestedKey(fixture))))
})

t.test("A5: a body that waits in the sub-organization is not voted on from the parent", async (t) => {
  const { fixture, server, alice } = await setUp(t)
  const { client } = fixture
  const bob = await client.user(alice, "bob")
  await client.submit(alice.root, "ACTIVITY_TYPE_CREATE_POLICY_V3", alice.organizationId, {
    policyName: "two",
    effect: "EFFECT_ALLOW",
    consensus: `approvers.count() == 2 && approvers.any(user, user.id == '${bob.userId}')`,
    condition: "activity.resource == 'AUTH'",
    notes: "",
  })
  const body = client.body(LOGIN, alice.organizationId, oauthParams(attestedKey(fixture)))
  t.equal(outcomeOf(await client.send(body, bob.key)).status, 5)
  await refused(t, fixture, "PARENT_LOGIN_NOT_ALLOWED", () => client.offer(body, stampWith(server.key, body)))
})
