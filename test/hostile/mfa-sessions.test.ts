import t from "tap"
import { apiKey, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { asRoot, refused, setup } from "./setup.ts"
import {
  API_KEY,
  AUTHENTICATORS_NEEDED,
  COMPLETED,
  demand,
  outcomeOf,
  PASSKEY,
  request,
  SESSION,
  setupMembers,
  voteOn,
} from "./mfa-fixture.ts"

t.test("A5: a login waits for its user's MFA and keeps the scope of its session", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  const second = newKey()
  await asRoot(fixture).submit("CREATE_API_KEYS_V2", {
    userId: dan.userId,
    apiKeys: [apiKey(second, "second")],
  })
  const profile = { sessionProfileName: "reader", scope: "activity.resource in ['AUTH', 'PRIVATE_KEY']" }
  const made = await asRoot(fixture).submit("CREATE_SESSION_PROFILE", profile)
  const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
  const confined = await client.login(acme, dan.key, { sessionProfileId })
  await demand(fixture, dan.userId, [SESSION, API_KEY], { condition: "activity.resource == 'AUTH'" })
  const login = (key: TestKey) =>
    client.body("ACTIVITY_TYPE_STAMP_LOGIN", acme.organizationId, { publicKey: key.publicKeyHex })
  const mine = newKey()
  const body = login(mine)
  t.match(await outcomeOf(fixture, body, confined.key), { status: AUTHENTICATORS_NEEDED })
  const approved = await outcomeOf(fixture, voteOn(fixture, body), second)
  t.match(approved, { status: COMPLETED })
  t.ok(valueOf(approved, "stampLoginResult").session)
  const fakeFetcher = client.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, {
    walletName: "w",
    accounts: [],
  })
  const attack = () => client.offer(fakeFetcher, stampWith(mine, fakeFetcher))
  await refused(t, fixture, "SESSION_SCOPE_DENIED", attack, "as confined as the session that asked for it")
})

t.test("A8: a pending login names its own organization", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const customer = await child(client, acme)
  const { organizationId, root, rootUserId } = customer
  const authenticators = [new Passkey().create()]
  const registration = { userId: rootUserId, authenticators }
  await client.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, registration)
  await client.submit(root, "ACTIVITY_TYPE_CREATE_MFA_POLICY", organizationId, {
    userId: rootUserId,
    mfaPolicyName: "logins",
    condition: "activity.resource == 'AUTH'",
    requiredAuthenticationMethods: [{ any: [PASSKEY] }],
    order: 0,
  })
  const login = (id: string) =>
    client.body("ACTIVITY_TYPE_STAMP_LOGIN", id, { publicKey: newKey().publicKeyHex })
  const body = login(acme.organizationId)
  const attack = () => client.offer(body, stampWith(root, body))
  await refused(t, fixture, "LOGIN_ORGANIZATION_NEEDED", attack)
  t.match(await attack(), { field: "organizationId" })
  t.match(await outcomeOf(fixture, login(organizationId), root), { status: AUTHENTICATORS_NEEDED })
})

t.test(
  "A5: a session counts as a factor beside the credential that opened it only if that was a passkey",
  async (t) => {
    const fixture = await setupMembers(t)
    const { boundary, client, acme, dan } = fixture
    const passkey = new Passkey()
    const held = { userId: dan.userId, authenticators: [passkey.create()] }
    await asRoot(fixture).submit("CREATE_AUTHENTICATORS_V2", held)
    const profile = { sessionProfileName: "signer", scope: "true" }
    const made = await asRoot(fixture).submit("CREATE_SESSION_PROFILE", profile)
    const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
    const signing = { type: SESSION.type, id: sessionProfileId }
    const plain = { type: SESSION.type, id: "00000000-0000-0000-0000-000000000000" }
    await demand(fixture, dan.userId, [plain, signing])

    const byKey = await client.login(acme, dan.key)
    const byItsSession = await client.login(acme, byKey.key, { sessionProfileId })
    const body = request(fixture)
    t.match(await outcomeOf(fixture, body, byKey.key), { status: AUTHENTICATORS_NEEDED })
    await boundary.restart()
    const again = voteOn(fixture, body)
    for (const key of [byItsSession.key, (await client.login(acme, dan.key, { sessionProfileId })).key])
      await refused(t, fixture, "VOTE_REPEATED", () => client.offer(again, stampWith(key, again)))
    const byPasskey = await client.login(acme, passkey, { sessionProfileId })
    t.match(await outcomeOf(fixture, voteOn(fixture, body), byPasskey.key), { status: COMPLETED })
  },
)
