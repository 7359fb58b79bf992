import t, { type Test } from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, signParams, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { fingerprintOf, newKey, type Stamper, stampWith, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { asRoot, refused, type Fixture, setup } from "./setup.ts"

const { AUTHENTICATORS_NEEDED, CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus
const PASSKEY = { type: "AUTHENTICATION_TYPE_PASSKEY" }
const SESSION = { type: "AUTHENTICATION_TYPE_SESSION" }
const API_KEY = { type: "AUTHENTICATION_TYPE_API_KEY" }

type Member = { userId: string; key: TestKey }
type MemberFixture = Fixture & { dan: Member; eva: Member }

/** dan and eva may do everything by policy; each stamps by an API key. */
async function setupMembers(t: Test): Promise<MemberFixture> {
  const fixture = await setup(t)
  const [dan, eva] = [
    await fixture.client.user(fixture.acme, "dan"),
    await fixture.client.user(fixture.acme, "eva"),
  ]
  await allow(fixture)
  return { ...fixture, dan, eva }
}

async function allow(fixture: Fixture, parts: object = {}): Promise<void> {
  const policy = { policyName: JSON.stringify(parts), effect: "EFFECT_ALLOW", notes: "", ...parts }
  await asRoot(fixture).submit("CREATE_POLICY_V3", policy)
}

/** Demands that a user shows all of these, each by another credential. */
async function demand(
  fixture: Fixture,
  userId: string,
  steps: object[],
  parts: object = {},
): Promise<string> {
  const outcome = await asRoot(fixture).submit("CREATE_MFA_POLICY", {
    userId,
    mfaPolicyName: JSON.stringify(parts),
    condition: "activity.action == 'SIGN'",
    requiredAuthenticationMethods: steps.map((method) => ({ any: [method] })),
    order: 0,
    ...parts,
  })
  return valueOf(outcome, "createMfaPolicyResult").mfaPolicyId
}

const request = ({ client, acme, address }: Fixture) =>
  client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))

function voteOn({ client, acme }: Fixture, body: string, type = "APPROVE"): string {
  const fingerprint = `sha256:${fingerprintOf(body)}`
  return client.body(`ACTIVITY_TYPE_${type}_ACTIVITY`, acme.organizationId, { fingerprint })
}

/** A session of a user that another key of his opened than the one he is here with. */
async function otherSession(fixture: Fixture, userId: string): Promise<TestKey> {
  const phone = newKey()
  await asRoot(fixture).submit("CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(phone, "phone")] })
  return (await fixture.client.login(fixture.acme, phone)).key
}

async function outcomeOf({ client }: Fixture, body: string, key: Stamper) {
  const answer = await client.send(body, key)
  if (answer.is !== "outcome") throw new Error(`no outcome: ${JSON.stringify(answer)}`)
  return answer.outcome
}

t.test("A5: an API key alone completes nothing while its user's MFA policy requires more", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan, eva } = fixture
  await demand(fixture, dan.userId, [SESSION, API_KEY])
  const [own, session] = [await client.login(acme, dan.key), await otherSession(fixture, dan.userId)]
  const body = request(fixture)
  const opened = await outcomeOf(fixture, body, dan.key)
  t.match(opened, {
    status: AUTHENTICATORS_NEEDED,
    decision: { mfaStatuses: [{ userId: dan.userId, satisfied: false }] },
  })
  t.equal(opened.result, undefined)
  const again = voteOn(fixture, body)
  await refused(
    t,
    fixture,
    "VOTE_REPEATED",
    () => client.offer(again, stampWith(dan.key, again)),
    "the same key",
  )
  const second = newKey()
  const keys = { userId: dan.userId, apiKeys: [apiKey(second, "second")] }
  await asRoot(fixture).submit("CREATE_API_KEYS_V2", keys)
  await refused(
    t,
    fixture,
    "VOTE_REPEATED",
    () => client.offer(again, stampWith(second, again)),
    "a key more",
  )
  await refused(
    t,
    fixture,
    "VOTE_REPEATED",
    () => client.offer(again, stampWith(own.key, again)),
    "a session that the key opened",
  )
  const other = await client.login(acme, eva.key)
  for (const { key } of [eva, other])
    await refused(
      t,
      fixture,
      "VOTE_NOT_COUNTED",
      () => client.offer(again, stampWith(key, again)),
      "somebody else's",
    )
  await boundary.restart()
  const done = await outcomeOf(fixture, voteOn(fixture, body), session)
  t.match(done, { status: COMPLETED, decision: { mfaStatuses: [{ userId: dan.userId, satisfied: true }] } })
  t.ok(valueOf(done, "signRawPayloadResult").r)
  t.match(
    await outcomeOf(fixture, request(fixture), session),
    { status: AUTHENTICATORS_NEEDED },
    "each time anew",
  )
})

t.test(
  "A5: one stamp completes the activity when its credential alone satisfies the MFA policy",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, acme, dan } = fixture
    await demand(fixture, dan.userId, [SESSION])
    const session = await client.login(acme, dan.key)
    t.match(await outcomeOf(fixture, request(fixture), session.key), { status: COMPLETED })
    t.match(await outcomeOf(fixture, request(fixture), dan.key), { status: AUTHENTICATORS_NEEDED })
  },
)

t.test("A5: root quorum members must satisfy their MFA policies too", async (t) => {
  const fixture = await setupMembers(t)
  const { acme } = fixture
  const session = await otherSession(fixture, acme.rootUserId)
  await demand(fixture, acme.rootUserId, [SESSION, API_KEY])
  const body = request(fixture)
  t.match(await outcomeOf(fixture, body, acme.root), { status: AUTHENTICATORS_NEEDED })
  t.match(await outcomeOf(fixture, voteOn(fixture, body), session), { status: COMPLETED })
})

t.test("A5: a denied activity is refused without asking for further factors", async (t) => {
  const fixture = await setup(t)
  const dan = await fixture.client.user(fixture.acme, "dan")
  await demand(fixture, dan.userId, [PASSKEY])
  const body = request(fixture)
  await refused(t, fixture, "PERMISSION_DENIED", () => fixture.client.offer(body, stampWith(dan.key, body)))
})

t.test("A5: others may approve once the submitter's MFA is complete, and reject before", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const [dan, eva] = [await client.user(acme, "dan"), await client.user(acme, "eva")]
  await allow(fixture, { consensus: "approvers.count() >= 2" })
  await demand(fixture, dan.userId, [SESSION, API_KEY])
  const session = await otherSession(fixture, dan.userId)
  const body = request(fixture)
  t.match(await outcomeOf(fixture, body, dan.key), { status: AUTHENTICATORS_NEEDED })
  const approval = voteOn(fixture, body)
  const early = () => client.offer(approval, stampWith(eva.key, approval))
  await refused(t, fixture, "AUTHENTICATION_AWAITED", early, "a user")
  await refused(
    t,
    fixture,
    "AUTHENTICATION_AWAITED",
    () => client.offer(approval, stampWith(acme.root, approval)),
    "root",
  )
  t.match(await outcomeOf(fixture, voteOn(fixture, body), session), { status: CONSENSUS_NEEDED })
  t.match(await outcomeOf(fixture, approval, eva.key), { status: COMPLETED })

  const unwanted = request(fixture)
  await outcomeOf(fixture, unwanted, dan.key)
  t.match(await outcomeOf(fixture, voteOn(fixture, unwanted, "REJECT"), eva.key), { status: REJECTED })
})

t.test(
  "A5: an activity whose submitter never completed MFA cannot be approved, also after their approval lapsed",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme } = fixture
    const [dan, eva] = [await client.user(acme, "dan"), await client.user(acme, "eva")]
    const stolen = newKey()
    const keys = { userId: dan.userId, apiKeys: [apiKey(stolen, "stolen")] }
    const added = await asRoot(fixture).submit("CREATE_API_KEYS_V2", keys)
    await allow(fixture, { consensus: "approvers.count() >= 1" })
    await demand(fixture, dan.userId, [SESSION, API_KEY])
    const waits = async (body: string, when: string) => {
      for (const key of [eva.key, acme.root]) {
        const approval = voteOn(fixture, body)
        const attack = () => client.offer(approval, stampWith(key, approval))
        await refused(t, fixture, "AUTHENTICATION_AWAITED", attack, when)
      }
    }
    const [lapsing, robbed] = [request(fixture), request(fixture)]
    await outcomeOf(fixture, robbed, stolen)
    await waits(robbed, "while its key is his")
    const { apiKeyIds } = valueOf(added, "createApiKeysResult")
    await asRoot(fixture).submit("DELETE_API_KEYS", { userId: dan.userId, apiKeyIds })
    await waits(robbed, "once its key was taken away")

    await outcomeOf(fixture, lapsing, dan.key)
    await waits(lapsing, "while it counts")
    boundary.clock.pass(25 * 60 * 60 * 1000)
    await waits(lapsing, "once it has lapsed")
    await boundary.restart()
    const session = await otherSession(fixture, dan.userId)
    t.match(await outcomeOf(fixture, voteOn(fixture, lapsing), session), { status: AUTHENTICATORS_NEEDED })
    await waits(lapsing, "while he proves it anew")
    t.match(
      await outcomeOf(fixture, voteOn(fixture, lapsing), dan.key),
      { status: COMPLETED },
      "he alone can",
    )
  },
)

t.test("A5: an activity of a deleted submitter cannot be approved", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const [dan, eva] = [await client.user(acme, "dan"), await client.user(acme, "eva")]
  await allow(fixture, { consensus: "approvers.count() >= 2" })
  const body = request(fixture)
  t.match(await outcomeOf(fixture, body, dan.key), { status: CONSENSUS_NEEDED })
  await asRoot(fixture).submit("DELETE_USERS", { userIds: [dan.userId] })
  for (const key of [eva.key, acme.root]) {
    const approval = voteOn(fixture, body)
    await refused(t, fixture, "SUBMITTER_GONE", () => client.offer(approval, stampWith(key, approval)))
  }
  t.match(await outcomeOf(fixture, voteOn(fixture, body, "REJECT"), eva.key), { status: REJECTED })
})

t.test("A5: a voter's approval counts once their MFA is complete", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const [dan, eva, fay] = [
    await client.user(acme, "dan"),
    await client.user(acme, "eva"),
    await client.user(acme, "fay"),
  ]
  await allow(fixture, { consensus: "approvers.count() >= 2" })
  await demand(fixture, eva.userId, [SESSION, API_KEY])
  const session = await otherSession(fixture, eva.userId)
  const [one, two] = [request(fixture), request(fixture)]
  for (const body of [one, two]) {
    t.match(await outcomeOf(fixture, body, dan.key), { status: CONSENSUS_NEEDED })
    t.match(await outcomeOf(fixture, voteOn(fixture, body), eva.key), { status: AUTHENTICATORS_NEEDED })
  }
  t.match(await outcomeOf(fixture, voteOn(fixture, one), session), { status: COMPLETED })
  t.match(
    await outcomeOf(fixture, voteOn(fixture, two), fay.key),
    { status: COMPLETED },
    "others need not wait for her",
  )
})

t.test("A5: a request that leaves out any value that an MFA condition reads is refused", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan, walletId, address } = fixture
  const typed = {
    ...signParams(address),
    encoding: "PAYLOAD_ENCODING_EIP712",
    payload: JSON.stringify({ types: { Pay: [] }, primaryType: "Pay", domain: { chainId: 1 }, message: {} }),
  }
  const attacks = [
    [`wallet.id == '${walletId}'`, signParams(address)],
    ["wallet.label == 'First'", signParams(address)],
    [`wallet_account.address == '${address}'`, signParams(address)],
    ["eth.eip_712.primary_type == 'Pay'", typed],
    ["activity.params.encoding == 'PAYLOAD_ENCODING_EIP712'", typed],
  ] as const
  for (const [condition, parameters] of attacks) {
    const mfaPolicyId = await demand(fixture, dan.userId, [SESSION], { condition })
    const body = client.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, parameters)
    const document = client.documents.get(acme.organizationId)!
    await boundary.restart()
    const answer = await client.order(body, stampWith(dan.key, body), { document, records: [] })
    t.match(
      answer,
      { is: "outcome", outcome: { status: AUTHENTICATORS_NEEDED, result: undefined } },
      condition,
    )
    await asRoot(fixture).submit("DELETE_MFA_POLICY", { userId: dan.userId, mfaPolicyId })
  }
})

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
  await refused(t, fixture, "LOGIN_ORGANIZATION_NEEDED", () => client.offer(body, stampWith(root, body)))
  t.match(await outcomeOf(fixture, login(organizationId), root), { status: AUTHENTICATORS_NEEDED })
})

t.test("A5: each vote is checked against the MFA policies current at that vote", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const [dan, eva] = [await client.user(acme, "dan"), await client.user(acme, "eva")]
  await allow(fixture, { consensus: "approvers.count() >= 2" })
  const body = request(fixture)
  t.match(await outcomeOf(fixture, body, dan.key), { status: CONSENSUS_NEEDED })
  await demand(fixture, dan.userId, [SESSION])
  const approval = voteOn(fixture, body)
  const attack = () => client.offer(approval, stampWith(eva.key, approval))
  await refused(t, fixture, "AUTHENTICATION_AWAITED", attack, "the submitter must show it after all")
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

t.test("A5: a stolen key cannot create a factor that its user's MFA policies require", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId } = acme
  const dan = await client.user(acme, "dan")
  const { userId } = dan
  const [passkey, forged] = [new Passkey(), new Passkey()]
  await asRoot(fixture).submit("CREATE_AUTHENTICATORS_V2", { userId, authenticators: [passkey.create()] })
  await allow(fixture, { condition: "activity.action == 'SIGN'" })
  await demand(fixture, userId, [PASSKEY])
  const others = { condition: "activity.action == 'EXPORT'", order: 1 }
  await demand(fixture, userId, [PASSKEY, API_KEY], others)

  const additions = {
    CREATE_AUTHENTICATORS_V2: { authenticators: [forged.create()] },
    CREATE_API_KEYS_V2: { apiKeys: [apiKey(newKey(), "another")] },
    CREATE_OAUTH_PROVIDERS_V2: {
      oauthProviders: [{ providerName: "idp", oidcToken: fixture.fakeFetcher.token() }],
    },
  }
  for (const [type, parameters] of Object.entries(additions)) {
    const body = client.body(`ACTIVITY_TYPE_${type}`, organizationId, { userId, ...parameters })
    const opened = await outcomeOf(fixture, body, dan.key)
    const mfaStatuses = [{ satisfied: false }, { satisfied: false }]
    t.match(opened, { status: AUTHENTICATORS_NEEDED, decision: { mfaStatuses } }, `${type} waits for all`)
    t.equal(opened.result, undefined)
    const again = voteOn(fixture, body)
    const session = await client.login(acme, dan.key)
    for (const key of [dan.key, session.key])
      await refused(t, fixture, "VOTE_REPEATED", () => client.offer(again, stampWith(key, again)), type)
    t.match(await outcomeOf(fixture, again, passkey), { status: COMPLETED }, "he himself by what all demand")
  }
})

t.test(
  "an MFA policy that matches credential changes, an ALLOW policy or the root quorum overrides the all-policies rule",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const dan = await client.user(acme, "dan")
    const { userId } = dan
    const add = (stamper: Stamper, name: string) => {
      const apiKeys = [apiKey(newKey(), name)]
      const body = client.body("ACTIVITY_TYPE_CREATE_API_KEYS_V2", acme.organizationId, { userId, apiKeys })
      return outcomeOf(fixture, body, stamper)
    }
    await demand(fixture, userId, [PASSKEY])
    t.match(await add(dan.key, "alone"), { status: AUTHENTICATORS_NEEDED })
    t.match(await add(acme.root, "by the root quorum"), { status: COMPLETED })
    const about = { condition: "activity.resource == 'CREDENTIAL'", order: 9 }
    const mfaPolicyId = await demand(fixture, userId, [API_KEY], about)
    t.match(await add(dan.key, "by its own policy"), { status: COMPLETED })
    await asRoot(fixture).submit("DELETE_MFA_POLICY", { userId, mfaPolicyId })
    await allow(fixture, { condition: "activity.resource == 'CREDENTIAL'" })
    t.match(await add(dan.key, "by an ALLOW"), { status: COMPLETED })
  },
)

t.test("a user with MFA policies deletes a stolen key with any one credential", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const dan = await client.user(acme, "dan")
  const { userId } = dan
  const stolen = newKey()
  const made = await asRoot(fixture).submit("CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(stolen)] })
  await demand(fixture, userId, [PASSKEY])
  const { apiKeyIds } = valueOf(made, "createApiKeysResult")
  const body = client.body("ACTIVITY_TYPE_DELETE_API_KEYS", acme.organizationId, { userId, apiKeyIds })
  t.match(await outcomeOf(fixture, body, dan.key), { status: COMPLETED })
})
