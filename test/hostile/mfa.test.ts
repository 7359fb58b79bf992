import t from "tap"
import { apiKey, signParams, valueOf } from "../harness/api-client.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"
import {
  allow,
  API_KEY,
  AUTHENTICATORS_NEEDED,
  COMPLETED,
  CONSENSUS_NEEDED,
  demand,
  givePasskey,
  outcomeOf,
  PASSKEY,
  REJECTED,
  request,
  SESSION,
  setupMembers,
  voteOn,
} from "./mfa-fixture.ts"

t.test("A5: an API key alone completes nothing while its user's MFA policy requires more", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan, eva } = fixture
  const [own, session] = [await client.login(acme, dan.key), await otherSession(fixture, dan.userId)]
  await demand(fixture, dan.userId, [SESSION, API_KEY])
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
  await givePasskey(fixture, dan.userId)
  await demand(fixture, dan.userId, [PASSKEY])
  const body = request(fixture)
  await refused(t, fixture, "PERMISSION_DENIED", () => fixture.client.offer(body, stampWith(dan.key, body)))
})

t.test("A5: others may approve once the submitter's MFA is complete, and reject before", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const [dan, eva] = [await client.user(acme, "dan"), await client.user(acme, "eva")]
  await allow(fixture, { consensus: "approvers.count() >= 2" })
  const session = await otherSession(fixture, dan.userId)
  await demand(fixture, dan.userId, [SESSION, API_KEY])
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
    await waits(robbed, "while the user holds the key")
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
    await waits(lapsing, "while the user completes MFA again")
    t.match(
      await outcomeOf(fixture, voteOn(fixture, lapsing), dan.key),
      { status: COMPLETED },
      "only the submitter can",
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
  const session = await otherSession(fixture, eva.userId)
  await demand(fixture, eva.userId, [SESSION, API_KEY])
  const [one, two] = [request(fixture), request(fixture)]
  for (const body of [one, two]) {
    t.match(await outcomeOf(fixture, body, dan.key), { status: CONSENSUS_NEEDED })
    t.match(await outcomeOf(fixture, voteOn(fixture, body), eva.key), { status: AUTHENTICATORS_NEEDED })
  }
  t.match(await outcomeOf(fixture, voteOn(fixture, one), session), { status: COMPLETED })
  t.match(
    await outcomeOf(fixture, voteOn(fixture, two), fay.key),
    { status: COMPLETED },
    "other voters need not wait",
  )
})

t.test("B5: a request that leaves out any value that an MFA condition reads is refused", async (t) => {
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

/** A session opened by a further key of the user. */
async function otherSession(fixture: Fixture, userId: string): Promise<TestKey> {
  const phone = newKey()
  await asRoot(fixture).submit("CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(phone, "phone")] })
  return (await fixture.client.login(fixture.acme, phone)).key
}
