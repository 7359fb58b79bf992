// Logins with a proven contact: nothing opens without the signature of the key that the token is bound to.
import t from "tap"
import { OtpType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, userParams, valueOf } from "../harness/api-client.ts"
import { newIdentity } from "../harness/fetcher.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { clientSignature, loginUsage, otpLoginParams, verified } from "../harness/verification.ts"
import { claimsOfSession, loginServer } from "./oidc-fixture.ts"
import { refused, setup } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_OTP_LOGIN_V2"

async function setUp(t: { teardown(clean: () => Promise<void>): unknown }) {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const server = await loginServer(fixture, LOGIN)
  const key = newKey()
  const root = { userName: "root", userEmail: "ann@example.com", authenticators: [], oauthProviders: [] }
  const ann = await child(client, acme, { key, rootUsers: [{ ...root, apiKeys: [apiKey(key)] }] })
  const attempt = (parameters: object, organizationId = ann.organizationId) => {
    const body = client.body(LOGIN, organizationId, parameters)
    return () => client.offer(body, stampWith(server.key, body))
  }
  return { fixture, server, ann, attempt }
}

t.test("a user of the parent opens a session for an end user who has proven their contact", async (t) => {
  const { fixture, server, ann } = await setUp(t)
  const key = newKey()
  const outcome = await fixture.client.submit(
    server.key,
    LOGIN,
    ann.organizationId,
    otpLoginParams(fixture, key),
  )
  const owner = { organization_id: ann.organizationId, user_id: ann.rootUserId, public_key: key.publicKeyHex }
  t.match(claimsOfSession(valueOf(outcome, "otpLoginResult").session), owner)
  const { id, compact } = verified(fixture, key)
  const session = newKey().publicKeyHex
  const message = `{ "type":"USAGE_TYPE_LOGIN", "tokenId":"${id}", "login":{"publicKey":"${session}"} }`
  const other = {
    verificationToken: compact,
    publicKey: session,
    clientSignature: clientSignature(key, message),
  }
  const again = await fixture.client.submit(ann.root, "ACTIVITY_TYPE_OTP_LOGIN", ann.organizationId, other)
  const { public_key } = claimsOfSession(valueOf(again, "otpLoginResult").session)
  t.equal(public_key, session, "another order of members, and another session key that the token's key names")
})

t.test(
  "A8: the parent opens no session with a token alone, nor with one of another key, contact or use",
  async (t) => {
    const { fixture, attempt, server, ann } = await setUp(t)
    const { client, boundary } = fixture
    const [users, parents] = [newKey(), newKey()]
    const good = otpLoginParams(fixture, users)
    const { id, compact } = verified(fixture, users)
    const signedBy = (key: typeof users, message: string) => ({
      verificationToken: compact,
      publicKey: parents.publicKeyHex,
      clientSignature: clientSignature(key, message),
    })
    const usage = loginUsage(id, parents.publicKeyHex)
    const signature = { ...clientSignature(parents, usage), publicKey: users.publicKeyHex }
    const unsigned = {
      "another session key": { ...good, publicKey: parents.publicKeyHex },
      "a signature by another key": signedBy(parents, usage),
      "another key's signature under the token's": {
        ...signedBy(parents, usage),
        clientSignature: signature,
      },
      "a message about another token": signedBy(
        users,
        loginUsage("0199cccc-0000-7000-8000-ffffffffffff", parents.publicKeyHex),
      ),
      "a message about a sign-up": signedBy(users, usage.replace("USAGE_TYPE_LOGIN", "USAGE_TYPE_SIGNUP")),
      "a message without login": signedBy(users, JSON.stringify({ type: "USAGE_TYPE_LOGIN", tokenId: id })),
      "a message that is no JSON": signedBy(users, "x"),
      "a token bound to no key": { ...good, ...otpLoginParams(fixture, users, { publicKey: undefined }) },
    }
    for (const [what, parameters] of Object.entries(unsigned))
      await refused(t, fixture, "CLIENT_SIGNATURE_INVALID", attempt(parameters), what)
    const another = attempt(unsigned["another session key"])
    t.match(await another(), { sentence: /names another session key than parameters.publicKey$/ })
    const alone = () => {
      const { clientSignature: _, ...parameters } = good
      const body = client.body("ACTIVITY_TYPE_OTP_LOGIN", ann.organizationId, parameters)
      return client.offer(body, stampWith(ann.root, body))
    }
    await refused(t, fixture, "CLIENT_SIGNATURE_INVALID", alone, "no signature")

    const bob = await child(client, fixture.acme)
    const invalid = {
      "an expired token": { expiresAtMs: boundary.nowMs() - 1 },
      "a token of another organization": { organizationId: bob.organizationId },
    }
    for (const [what, changes] of Object.entries(invalid))
      await refused(
        t,
        fixture,
        "VERIFICATION_TOKEN_INVALID",
        attempt(otpLoginParams(fixture, users, changes)),
        what,
      )
    const { fakeFetcher } = fixture
    const foreign = {
      ...fixture,
      fakeFetcher: Object.assign(Object.create(fakeFetcher), { keySet: newIdentity().keySet }),
    }
    await refused(
      t,
      fixture,
      "VERIFICATION_TOKEN_INVALID",
      attempt(otpLoginParams(foreign, users)),
      "another fetcher",
    )
    for (const changes of [{ contact: "bob@example.com" }, { channel: OtpType.SMS }])
      await refused(t, fixture, "RESOURCE_UNKNOWN", attempt(otpLoginParams(fixture, users, changes)))
    await refused(
      t,
      fixture,
      "RESOURCE_UNKNOWN",
      attempt(otpLoginParams(fixture, users), bob.organizationId),
      "another tenant",
    )

    t.match(await client.send(client.body(LOGIN, ann.organizationId, good), server.key), { is: "outcome" })
    await refused(t, fixture, "VERIFICATION_TOKEN_USED", attempt(good), "a token that the parent kept")
    await client.submit(ann.root, "ACTIVITY_TYPE_CREATE_USERS_V4", ann.organizationId, {
      users: [{ ...userParams("twin"), userEmail: "ANN@example.com", apiKeys: [apiKey(newKey())] }],
    })
    await refused(
      t,
      fixture,
      "CONTACT_AMBIGUOUS",
      attempt(otpLoginParams(fixture)),
      "two users with the contact",
    )
  },
)

t.test("A8: a signature of the token itself opens a session for the token's own key alone", async (t) => {
  const { fixture, attempt, ann } = await setUp(t)
  const [users, parents] = [newKey(), newKey()]
  const { compact } = verified(fixture, users)
  const login = (publicKey: string, signature: object) =>
    attempt({ verificationToken: compact, publicKey, clientSignature: signature })
  const signed = clientSignature(users, compact)
  const cases = {
    "another session key": login(parents.publicKeyHex, signed),
    "another key's signature": login(users.publicKeyHex, clientSignature(parents, compact)),
    "another key's signature under the token's": login(users.publicKeyHex, {
      ...clientSignature(parents, compact),
      publicKey: users.publicKeyHex,
    }),
    "a signature of another token": login(
      users.publicKeyHex,
      clientSignature(users, verified(fixture, users).compact),
    ),
  }
  for (const [what, attack] of Object.entries(cases))
    await refused(t, fixture, "CLIENT_SIGNATURE_INVALID", attack, what)
  const named = await login(parents.publicKeyHex, signed)()
  t.match(named, { sentence: /for its own key; parameters.publicKey is another$/ })
  const answer = await login(users.publicKeyHex, signed)()
  if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
  const owner = { organization_id: ann.organizationId, public_key: users.publicKeyHex }
  t.match(claimsOfSession(valueOf(answer.outcome, "otpLoginResult").session), owner)
  await refused(t, fixture, "VERIFICATION_TOKEN_USED", login(users.publicKeyHex, signed), "once")
})

t.test("a sub-organization without one-time codes refuses logins by one", async (t) => {
  const { fixture, attempt, ann } = await setUp(t)
  const name = "FEATURE_NAME_OTP_EMAIL_AUTH"
  await fixture.client.submit(ann.root, "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE", ann.organizationId, {
    name,
  })
  await refused(t, fixture, "OTP_DISABLED", attempt(otpLoginParams(fixture)))
})

t.test("A8: a code meets no MFA policy that asks for an API key", async (t) => {
  const { fixture, attempt, ann } = await setUp(t)
  await fixture.client.submit(ann.root, "ACTIVITY_TYPE_CREATE_MFA_POLICY", ann.organizationId, {
    userId: ann.rootUserId,
    mfaPolicyName: "key",
    condition: "activity.resource == 'AUTH'",
    requiredAuthenticationMethods: [{ any: [{ type: "AUTHENTICATION_TYPE_API_KEY" }] }],
    order: 0,
  })
  await refused(t, fixture, "LOGIN_MFA_NEEDED", attempt(otpLoginParams(fixture)))
})
