import t, { type Test } from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { apiKey, signParams, valueOf } from "../harness/api-seat.ts"
import { Passkey } from "../harness/authenticator.ts"
import { fingerprintOf, newKey, type Stamper, stampWith, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { asRoot, refused, type Stage, stage } from "./stage.ts"

const { AUTHENTICATORS_NEEDED, CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus
const PASSKEY = { type: "AUTHENTICATION_TYPE_PASSKEY" }
const SESSION = { type: "AUTHENTICATION_TYPE_SESSION" }
const API_KEY = { type: "AUTHENTICATION_TYPE_API_KEY" }

type Member = { userId: string; key: TestKey }
type Scene = Stage & { dan: Member; eva: Member }

/** dan and eva may do everything by policy; each stamps by an API key. */
async function scene(t: Test): Promise<Scene> {
  const place = await stage(t)
  const [dan, eva] = [await place.seat.user(place.acme, "dan"), await place.seat.user(place.acme, "eva")]
  await allow(place)
  return { ...place, dan, eva }
}

async function allow(place: Stage, parts: object = {}): Promise<void> {
  const policy = { policyName: JSON.stringify(parts), effect: "EFFECT_ALLOW", notes: "", ...parts }
  await asRoot(place).submit("CREATE_POLICY_V3", policy)
}

/** Demands that a user shows all of these, each by another credential. */
async function demand(place: Stage, userId: string, steps: object[], parts: object = {}): Promise<string> {
  const outcome = await asRoot(place).submit("CREATE_MFA_POLICY", {
    userId,
    mfaPolicyName: JSON.stringify(parts),
    condition: "activity.action == 'SIGN'",
    requiredAuthenticationMethods: steps.map((method) => ({ any: [method] })),
    order: 0,
    ...parts,
  })
  return valueOf(outcome, "createMfaPolicyResult").mfaPolicyId
}

const wish = ({ seat, acme, address }: Stage) =>
  seat.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))

function voteOn({ seat, acme }: Stage, body: string, type = "APPROVE"): string {
  const fingerprint = `sha256:${fingerprintOf(body)}`
  return seat.body(`ACTIVITY_TYPE_${type}_ACTIVITY`, acme.organizationId, { fingerprint })
}

/** A session of a user that another key of his opened than the one he is here with. */
async function otherSession(place: Stage, userId: string): Promise<TestKey> {
  const phone = newKey()
  await asRoot(place).submit("CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(phone, "phone")] })
  return (await place.seat.login(place.acme, phone)).key
}

async function outcomeOf({ seat }: Stage, body: string, key: Stamper) {
  const answer = await seat.send(body, key)
  if (answer.is !== "outcome") throw new Error(`no outcome: ${JSON.stringify(answer)}`)
  return answer.outcome
}

t.test("A5: an API key alone completes nothing while its user's MFA policy requires more", async (t) => {
  const place = await scene(t)
  const { boundary, seat, acme, dan, eva } = place
  await demand(place, dan.userId, [SESSION, API_KEY])
  const [own, session] = [await seat.login(acme, dan.key), await otherSession(place, dan.userId)]
  const body = wish(place)
  const opened = await outcomeOf(place, body, dan.key)
  t.match(opened, {
    status: AUTHENTICATORS_NEEDED,
    decision: { mfaStatuses: [{ userId: dan.userId, satisfied: false }] },
  })
  t.equal(opened.result, undefined)
  const again = voteOn(place, body)
  await refused(t, place, "VOTE_REPEATED", () => seat.offer(again, stampWith(dan.key, again)), "the same key")
  const second = newKey()
  const keys = { userId: dan.userId, apiKeys: [apiKey(second, "second")] }
  await asRoot(place).submit("CREATE_API_KEYS_V2", keys)
  await refused(t, place, "VOTE_REPEATED", () => seat.offer(again, stampWith(second, again)), "a key more")
  await refused(
    t,
    place,
    "VOTE_REPEATED",
    () => seat.offer(again, stampWith(own.key, again)),
    "a session that the key opened",
  )
  const other = await seat.login(acme, eva.key)
  for (const { key } of [eva, other])
    await refused(
      t,
      place,
      "VOTE_NOT_COUNTED",
      () => seat.offer(again, stampWith(key, again)),
      "somebody else's",
    )
  await boundary.restart()
  const done = await outcomeOf(place, voteOn(place, body), session)
  t.match(done, { status: COMPLETED, decision: { mfaStatuses: [{ userId: dan.userId, satisfied: true }] } })
  t.ok(valueOf(done, "signRawPayloadResult").r)
  t.match(await outcomeOf(place, wish(place), session), { status: AUTHENTICATORS_NEEDED }, "each time anew")
})

t.test(
  "A5: one stamp completes the activity when its credential alone satisfies the MFA policy",
  async (t) => {
    const place = await scene(t)
    const { seat, acme, dan } = place
    await demand(place, dan.userId, [SESSION])
    const session = await seat.login(acme, dan.key)
    t.match(await outcomeOf(place, wish(place), session.key), { status: COMPLETED })
    t.match(await outcomeOf(place, wish(place), dan.key), { status: AUTHENTICATORS_NEEDED })
  },
)

t.test("A5: root quorum members must satisfy their MFA policies too", async (t) => {
  const place = await scene(t)
  const { acme } = place
  const session = await otherSession(place, acme.rootUserId)
  await demand(place, acme.rootUserId, [SESSION, API_KEY])
  const body = wish(place)
  t.match(await outcomeOf(place, body, acme.root), { status: AUTHENTICATORS_NEEDED })
  t.match(await outcomeOf(place, voteOn(place, body), session), { status: COMPLETED })
})

t.test("A5: a denied activity is refused without asking for further factors", async (t) => {
  const place = await stage(t)
  const dan = await place.seat.user(place.acme, "dan")
  await demand(place, dan.userId, [PASSKEY])
  const body = wish(place)
  await refused(t, place, "PERMISSION_DENIED", () => place.seat.offer(body, stampWith(dan.key, body)))
})

t.test("A5: others may approve once the submitter's MFA is complete, and reject before", async (t) => {
  const place = await stage(t)
  const { seat, acme } = place
  const [dan, eva] = [await seat.user(acme, "dan"), await seat.user(acme, "eva")]
  await allow(place, { consensus: "approvers.count() >= 2" })
  await demand(place, dan.userId, [SESSION, API_KEY])
  const session = await otherSession(place, dan.userId)
  const body = wish(place)
  t.match(await outcomeOf(place, body, dan.key), { status: AUTHENTICATORS_NEEDED })
  const approval = voteOn(place, body)
  const early = () => seat.offer(approval, stampWith(eva.key, approval))
  await refused(t, place, "AUTHENTICATION_AWAITED", early, "a user")
  await refused(
    t,
    place,
    "AUTHENTICATION_AWAITED",
    () => seat.offer(approval, stampWith(acme.root, approval)),
    "root",
  )
  t.match(await outcomeOf(place, voteOn(place, body), session), { status: CONSENSUS_NEEDED })
  t.match(await outcomeOf(place, approval, eva.key), { status: COMPLETED })

  const unwanted = wish(place)
  await outcomeOf(place, unwanted, dan.key)
  t.match(await outcomeOf(place, voteOn(place, unwanted, "REJECT"), eva.key), { status: REJECTED })
})

t.test(
  "A5: an activity whose submitter never completed MFA cannot be approved, also after their approval lapsed",
  async (t) => {
    const place = await stage(t)
    const { boundary, seat, acme } = place
    const [dan, eva] = [await seat.user(acme, "dan"), await seat.user(acme, "eva")]
    const stolen = newKey()
    const keys = { userId: dan.userId, apiKeys: [apiKey(stolen, "stolen")] }
    const added = await asRoot(place).submit("CREATE_API_KEYS_V2", keys)
    await allow(place, { consensus: "approvers.count() >= 1" })
    await demand(place, dan.userId, [SESSION, API_KEY])
    const waits = async (body: string, when: string) => {
      for (const key of [eva.key, acme.root]) {
        const approval = voteOn(place, body)
        const attack = () => seat.offer(approval, stampWith(key, approval))
        await refused(t, place, "AUTHENTICATION_AWAITED", attack, when)
      }
    }
    const [lapsing, robbed] = [wish(place), wish(place)]
    await outcomeOf(place, robbed, stolen)
    await waits(robbed, "while its key is his")
    const { apiKeyIds } = valueOf(added, "createApiKeysResult")
    await asRoot(place).submit("DELETE_API_KEYS", { userId: dan.userId, apiKeyIds })
    await waits(robbed, "once its key was taken away")

    await outcomeOf(place, lapsing, dan.key)
    await waits(lapsing, "while it counts")
    boundary.clock.pass(25 * 60 * 60 * 1000)
    await waits(lapsing, "once it has lapsed")
    await boundary.restart()
    const session = await otherSession(place, dan.userId)
    t.match(await outcomeOf(place, voteOn(place, lapsing), session), { status: AUTHENTICATORS_NEEDED })
    await waits(lapsing, "while he proves it anew")
    t.match(await outcomeOf(place, voteOn(place, lapsing), dan.key), { status: COMPLETED }, "he alone can")
  },
)

t.test("A5: an activity of a deleted submitter cannot be approved", async (t) => {
  const place = await stage(t)
  const { seat, acme } = place
  const [dan, eva] = [await seat.user(acme, "dan"), await seat.user(acme, "eva")]
  await allow(place, { consensus: "approvers.count() >= 2" })
  const body = wish(place)
  t.match(await outcomeOf(place, body, dan.key), { status: CONSENSUS_NEEDED })
  await asRoot(place).submit("DELETE_USERS", { userIds: [dan.userId] })
  for (const key of [eva.key, acme.root]) {
    const approval = voteOn(place, body)
    await refused(t, place, "SUBMITTER_GONE", () => seat.offer(approval, stampWith(key, approval)))
  }
  t.match(await outcomeOf(place, voteOn(place, body, "REJECT"), eva.key), { status: REJECTED })
})

t.test("A5: a voter's approval counts once their MFA is complete", async (t) => {
  const place = await stage(t)
  const { seat, acme } = place
  const [dan, eva, fay] = [
    await seat.user(acme, "dan"),
    await seat.user(acme, "eva"),
    await seat.user(acme, "fay"),
  ]
  await allow(place, { consensus: "approvers.count() >= 2" })
  await demand(place, eva.userId, [SESSION, API_KEY])
  const session = await otherSession(place, eva.userId)
  const [one, two] = [wish(place), wish(place)]
  for (const body of [one, two]) {
    t.match(await outcomeOf(place, body, dan.key), { status: CONSENSUS_NEEDED })
    t.match(await outcomeOf(place, voteOn(place, body), eva.key), { status: AUTHENTICATORS_NEEDED })
  }
  t.match(await outcomeOf(place, voteOn(place, one), session), { status: COMPLETED })
  t.match(
    await outcomeOf(place, voteOn(place, two), fay.key),
    { status: COMPLETED },
    "others need not wait for her",
  )
})

t.test("A5: a request that leaves out any value that an MFA condition reads is refused", async (t) => {
  const place = await scene(t)
  const { boundary, seat, acme, dan, walletId, address } = place
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
    const mfaPolicyId = await demand(place, dan.userId, [SESSION], { condition })
    const body = seat.body("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", acme.organizationId, parameters)
    const document = seat.documents.get(acme.organizationId)!
    await boundary.restart()
    const answer = await seat.order(body, stampWith(dan.key, body), { document, records: [] })
    t.match(
      answer,
      { is: "outcome", outcome: { status: AUTHENTICATORS_NEEDED, result: undefined } },
      condition,
    )
    await asRoot(place).submit("DELETE_MFA_POLICY", { userId: dan.userId, mfaPolicyId })
  }
})

t.test("A5: a login waits for its user's MFA and keeps the scope of its session", async (t) => {
  const place = await scene(t)
  const { seat, acme, dan } = place
  const second = newKey()
  await asRoot(place).submit("CREATE_API_KEYS_V2", {
    userId: dan.userId,
    apiKeys: [apiKey(second, "second")],
  })
  const profile = { sessionProfileName: "reader", scope: "activity.resource in ['AUTH', 'PRIVATE_KEY']" }
  const made = await asRoot(place).submit("CREATE_SESSION_PROFILE", profile)
  const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
  const confined = await seat.login(acme, dan.key, { sessionProfileId })
  await demand(place, dan.userId, [SESSION, API_KEY], { condition: "activity.resource == 'AUTH'" })
  const login = (key: TestKey) =>
    seat.body("ACTIVITY_TYPE_STAMP_LOGIN", acme.organizationId, { publicKey: key.publicKeyHex })
  const mine = newKey()
  const body = login(mine)
  t.match(await outcomeOf(place, body, confined.key), { status: AUTHENTICATORS_NEEDED })
  const approved = await outcomeOf(place, voteOn(place, body), second)
  t.match(approved, { status: COMPLETED })
  t.ok(valueOf(approved, "stampLoginResult").session)
  const outside = seat.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, {
    walletName: "w",
    accounts: [],
  })
  const attack = () => seat.offer(outside, stampWith(mine, outside))
  await refused(t, place, "SESSION_SCOPE_DENIED", attack, "as confined as the session that asked for it")
})

t.test("A8: a pending login names its own organization", async (t) => {
  const place = await stage(t)
  const { seat, acme } = place
  const customer = await child(seat, acme)
  const { organizationId, root, rootUserId } = customer
  await seat.submit(root, "ACTIVITY_TYPE_CREATE_MFA_POLICY", organizationId, {
    userId: rootUserId,
    mfaPolicyName: "logins",
    condition: "activity.resource == 'AUTH'",
    requiredAuthenticationMethods: [{ any: [PASSKEY] }],
    order: 0,
  })
  const login = (id: string) =>
    seat.body("ACTIVITY_TYPE_STAMP_LOGIN", id, { publicKey: newKey().publicKeyHex })
  const body = login(acme.organizationId)
  await refused(t, place, "LOGIN_ORGANIZATION_NEEDED", () => seat.offer(body, stampWith(root, body)))
  t.match(await outcomeOf(place, login(organizationId), root), { status: AUTHENTICATORS_NEEDED })
})

t.test("A5: each vote is checked against the MFA policies current at that vote", async (t) => {
  const place = await stage(t)
  const { seat, acme } = place
  const [dan, eva] = [await seat.user(acme, "dan"), await seat.user(acme, "eva")]
  await allow(place, { consensus: "approvers.count() >= 2" })
  const body = wish(place)
  t.match(await outcomeOf(place, body, dan.key), { status: CONSENSUS_NEEDED })
  await demand(place, dan.userId, [SESSION])
  const approval = voteOn(place, body)
  const attack = () => seat.offer(approval, stampWith(eva.key, approval))
  await refused(t, place, "AUTHENTICATION_AWAITED", attack, "the submitter must show it after all")
})

t.test(
  "A5: a session counts as a factor beside the credential that opened it only if that was a passkey",
  async (t) => {
    const place = await scene(t)
    const { boundary, seat, acme, dan } = place
    const passkey = new Passkey()
    const held = { userId: dan.userId, authenticators: [passkey.create()] }
    await asRoot(place).submit("CREATE_AUTHENTICATORS_V2", held)
    const profile = { sessionProfileName: "signer", scope: "true" }
    const made = await asRoot(place).submit("CREATE_SESSION_PROFILE", profile)
    const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
    const signing = { type: SESSION.type, id: sessionProfileId }
    const plain = { type: SESSION.type, id: "00000000-0000-0000-0000-000000000000" }
    await demand(place, dan.userId, [plain, signing])

    const byKey = await seat.login(acme, dan.key)
    const byItsSession = await seat.login(acme, byKey.key, { sessionProfileId })
    const body = wish(place)
    t.match(await outcomeOf(place, body, byKey.key), { status: AUTHENTICATORS_NEEDED })
    await boundary.restart()
    const again = voteOn(place, body)
    for (const key of [byItsSession.key, (await seat.login(acme, dan.key, { sessionProfileId })).key])
      await refused(t, place, "VOTE_REPEATED", () => seat.offer(again, stampWith(key, again)))
    const byPasskey = await seat.login(acme, passkey, { sessionProfileId })
    t.match(await outcomeOf(place, voteOn(place, body), byPasskey.key), { status: COMPLETED })
  },
)

t.test("A5: a stolen key cannot create a factor that its user's MFA policies require", async (t) => {
  const place = await stage(t)
  const { seat, acme } = place
  const { organizationId } = acme
  const dan = await seat.user(acme, "dan")
  const { userId } = dan
  const [passkey, forged] = [new Passkey(), new Passkey()]
  await asRoot(place).submit("CREATE_AUTHENTICATORS_V2", { userId, authenticators: [passkey.create()] })
  await allow(place, { condition: "activity.action == 'SIGN'" })
  await demand(place, userId, [PASSKEY])
  const others = { condition: "activity.action == 'EXPORT'", order: 1 }
  await demand(place, userId, [PASSKEY, API_KEY], others)

  const additions = {
    CREATE_AUTHENTICATORS_V2: { authenticators: [forged.create()] },
    CREATE_API_KEYS_V2: { apiKeys: [apiKey(newKey(), "another")] },
    CREATE_OAUTH_PROVIDERS_V2: {
      oauthProviders: [{ providerName: "idp", oidcToken: place.outside.token() }],
    },
  }
  for (const [type, parameters] of Object.entries(additions)) {
    const body = seat.body(`ACTIVITY_TYPE_${type}`, organizationId, { userId, ...parameters })
    const opened = await outcomeOf(place, body, dan.key)
    const mfaStatuses = [{ satisfied: false }, { satisfied: false }]
    t.match(opened, { status: AUTHENTICATORS_NEEDED, decision: { mfaStatuses } }, `${type} waits for all`)
    t.equal(opened.result, undefined)
    const again = voteOn(place, body)
    const session = await seat.login(acme, dan.key)
    for (const key of [dan.key, session.key])
      await refused(t, place, "VOTE_REPEATED", () => seat.offer(again, stampWith(key, again)), type)
    t.match(await outcomeOf(place, again, passkey), { status: COMPLETED }, "he himself by what all demand")
  }
})

t.test(
  "an MFA policy that matches credential changes, an ALLOW policy or the root quorum overrides the all-policies rule",
  async (t) => {
    const place = await stage(t)
    const { seat, acme } = place
    const dan = await seat.user(acme, "dan")
    const { userId } = dan
    const add = (stamper: Stamper, name: string) => {
      const apiKeys = [apiKey(newKey(), name)]
      const body = seat.body("ACTIVITY_TYPE_CREATE_API_KEYS_V2", acme.organizationId, { userId, apiKeys })
      return outcomeOf(place, body, stamper)
    }
    await demand(place, userId, [PASSKEY])
    t.match(await add(dan.key, "alone"), { status: AUTHENTICATORS_NEEDED })
    t.match(await add(acme.root, "by the root quorum"), { status: COMPLETED })
    const about = { condition: "activity.resource == 'CREDENTIAL'", order: 9 }
    const mfaPolicyId = await demand(place, userId, [API_KEY], about)
    t.match(await add(dan.key, "by its own policy"), { status: COMPLETED })
    await asRoot(place).submit("DELETE_MFA_POLICY", { userId, mfaPolicyId })
    await allow(place, { condition: "activity.resource == 'CREDENTIAL'" })
    t.match(await add(dan.key, "by an ALLOW"), { status: COMPLETED })
  },
)

t.test("a user with MFA policies deletes a stolen key with any one credential", async (t) => {
  const place = await stage(t)
  const { seat, acme } = place
  const dan = await seat.user(acme, "dan")
  const { userId } = dan
  const stolen = newKey()
  const made = await asRoot(place).submit("CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(stolen)] })
  await demand(place, userId, [PASSKEY])
  const { apiKeyIds } = valueOf(made, "createApiKeysResult")
  const body = seat.body("ACTIVITY_TYPE_DELETE_API_KEYS", acme.organizationId, { userId, apiKeyIds })
  t.match(await outcomeOf(place, body, dan.key), { status: COMPLETED })
})
