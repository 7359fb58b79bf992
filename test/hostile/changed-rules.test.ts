// Waiting activities whose votes suffice after a change of the rules: the next vote of an entitled user completes them,
// and nothing else does.
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { valueOf } from "../harness/api-client.ts"
import { fingerprintOf, stampWith, type TestKey } from "../harness/stamper.ts"
import { addPolicy, allow, deny, request, setupMembers } from "./consensus-fixture.ts"
import { API_KEY, demand, givePasskey, PASSKEY, voteOn } from "./mfa-fixture.ts"
import { quorumOfThree } from "./quorum.ts"
import { asRoot, type Fixture, refused } from "./setup.ts"

const { AUTHENTICATORS_NEEDED, CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus

/** The status after a vote that the signer takes. */
async function statusAfter({ client }: Fixture, body: string, key: TestKey) {
  const answer = await client.send(body, key)
  if (answer.is !== "outcome") throw new Error(JSON.stringify(answer))
  return answer.outcome.status
}

const named = (...users: { userId: string }[]) =>
  users.map(({ userId }) => `approvers.any(u, u.id == '${userId}')`).join(" && ")

t.test("A5: a lowered threshold completes an activity at the next vote of a member", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, alice, bob, eve, propose, approval, rejection, approve } = fixture
  const { rootUserId } = acme
  const waiting = [await propose(), await propose(), await propose()]
  const cast = waiting.map(({ fingerprint }) => approval(fingerprint))
  for (const vote of cast) t.equal(await statusAfter(fixture, vote, alice.key), CONSENSUS_NEEDED)
  const again = (vote: string, key: TestKey) => () => client.offer(vote, stampWith(key, vote))
  const [first, second, third] = waiting as [(typeof waiting)[0], (typeof waiting)[0], (typeof waiting)[0]]
  await refused(
    t,
    fixture,
    "VOTE_REPEATED",
    again(approval(first.fingerprint), alice.key),
    "before the change",
  )

  const userIds = [rootUserId, alice.userId, bob.userId]
  const change = await propose("UPDATE_ROOT_QUORUM", { threshold: 2, userIds })
  await approve(alice, change.fingerprint)
  t.equal((await approve(bob, change.fingerprint)).status, COMPLETED)
  await client.acknowledge(acme.organizationId, fingerprintOf(cast[0]!), alice.key.publicKeyHex)
  await client.acknowledge(acme.organizationId, first.fingerprint, acme.root.publicKeyHex)
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    await refused(t, fixture, "VOTE_REPEATED", again(cast[0]!, alice.key), "a vote that was cast before")
    await refused(t, fixture, "VOTE_REPEATED", again(first.body, acme.root), "the submission again")
    await refused(
      t,
      fixture,
      "VOTE_REPEATED",
      again(rejection(first.fingerprint), alice.key),
      "a change of mind",
    )
    for (const vote of [approval(first.fingerprint), rejection(first.fingerprint), first.body])
      await refused(t, fixture, "VOTE_NOT_COUNTED", again(vote, eve.key), "a user without rights")
  }
  const trigger = approval(first.fingerprint)
  t.equal(await statusAfter(fixture, trigger, alice.key), COMPLETED, "a member who has voted")
  await client.acknowledge(acme.organizationId, fingerprintOf(trigger), alice.key.publicKeyHex)
  await refused(t, fixture, "ACTIVITY_FINAL", again(trigger, alice.key), "once")
  t.equal((await approve(bob, second.fingerprint)).status, COMPLETED, "a member who has not")
  t.equal(await statusAfter(fixture, rejection(third.fingerprint), bob.key), REJECTED, "or rejects it")
  await refused(t, fixture, "ACTIVITY_FINAL", again(approval(third.fingerprint), alice.key))
})

t.test(
  "A5: a satisfied consensus completes an activity at the next vote of a user whom it names",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, dan, eva, fay } = fixture
    const three = `${named(dan)} && approvers.filter(u, u.id in ['${eva.userId}', '${fay.userId}']).count() >= 2`
    const two = three.replace(">= 2", ">= 1")
    const gus = await client.user(fixture.acme, "gus")
    const policyId = await allow(fixture, { consensus: three })
    const bodies = Array.from({ length: 5 }, (_, index) => request(fixture, `${index + 1}0`.repeat(32)))
    for (const body of bodies) {
      t.equal(await statusAfter(fixture, body, dan.key), CONSENSUS_NEEDED)
      t.equal(await statusAfter(fixture, voteOn(fixture, body), eva.key), CONSENSUS_NEEDED)
    }
    await asRoot(fixture).submit("UPDATE_POLICY_V2", { policyId, policyConsensus: two })
    const [one, other, third, vetoed, freed] = bodies as [string, string, string, string, string]
    const outsider = voteOn(fixture, one)
    const attack = () => client.offer(outsider, stampWith(gus.key, outsider))
    await refused(t, fixture, "VOTE_NOT_COUNTED", attack, "a user whom it does not name")
    t.equal(await statusAfter(fixture, voteOn(fixture, one), dan.key), COMPLETED, "the submitter")
    t.equal(await statusAfter(fixture, voteOn(fixture, other), eva.key), COMPLETED, "a user who has approved")
    t.equal(await statusAfter(fixture, voteOn(fixture, third), fay.key), COMPLETED, "a user who has not")
    t.equal(await statusAfter(fixture, voteOn(fixture, vetoed, "REJECT"), fay.key), REJECTED, "against it")
    await asRoot(fixture).submit("UPDATE_POLICY_V2", { policyId, policyConsensus: "" })
    t.equal(await statusAfter(fixture, voteOn(fixture, freed), dan.key), COMPLETED, "no consensus is left")
  },
)

t.test("A5: a user whose approval no longer counts completes nothing", async (t) => {
  const quorum = await quorumOfThree(t)
  const { client, acme, alice, bob, propose, approval, approve } = quorum
  const { fingerprint } = await propose()
  await approve(alice, fingerprint)
  const change = await propose("UPDATE_ROOT_QUORUM", { threshold: 1, userIds: [acme.rootUserId, bob.userId] })
  for (const member of [alice, bob]) await approve(member, change.fingerprint)
  const late = approval(fingerprint)
  const attack = () => client.offer(late, stampWith(alice.key, late))
  await refused(t, quorum, "VOTE_REPEATED", attack, "a former member of the root quorum")
  t.equal(await statusAfter(quorum, late, acme.root), COMPLETED, "a member, with the same body")

  const members = await setupMembers(t)
  const { dan, eva, fay } = members
  const policyId = await allow(members, { consensus: named(dan, eva, fay) })
  const body = request(members)
  t.equal(await statusAfter(members, body, dan.key), CONSENSUS_NEEDED)
  t.equal(await statusAfter(members, voteOn(members, body), eva.key), CONSENSUS_NEEDED)
  await asRoot(members).submit("UPDATE_POLICY_V2", { policyId, policyConsensus: named(dan) })
  const vote = voteOn(members, body)
  const again = () => members.client.offer(vote, stampWith(eva.key, vote))
  await refused(t, members, "VOTE_REPEATED", again, "a user whom the policy names no longer")
  t.equal(await statusAfter(members, voteOn(members, body), dan.key), COMPLETED, "one whom it names")
})

t.test("A5: a tag gained completes the activity at its submitter's next approval", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva } = fixture
  const made = await asRoot(fixture).submit("CREATE_USER_TAG", {
    userTagName: "admin",
    userIds: [eva.userId],
  })
  const { userTagId } = valueOf(made, "createUserTagResult")
  await allow(fixture, {
    consensus: `${named(dan)} && approvers.any(u, u.tags.contains('${userTagId}'))`,
  })
  const body = request(fixture)
  t.equal(await statusAfter(fixture, body, dan.key), CONSENSUS_NEEDED)
  const early = voteOn(fixture, body)
  const before = () => client.offer(early, stampWith(dan.key, early))
  await refused(t, fixture, "VOTE_REPEATED", before, "before the change")
  await asRoot(fixture).submit("UPDATE_USER_TAG", { userTagId, addUserIds: [dan.userId], removeUserIds: [] })
  t.equal(await statusAfter(fixture, early, dan.key), COMPLETED, "a refused vote was not used up")
})

t.test("A5: a rejection counts from the moment that the rules count it, and is final", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva, fay } = fixture
  const policyId = await allow(fixture, { consensus: named(dan, eva) })
  const body = request(fixture)
  t.equal(await statusAfter(fixture, body, dan.key), CONSENSUS_NEEDED)
  const veto = voteOn(fixture, body, "REJECT")
  const reject = () => client.offer(veto, stampWith(fay.key, veto))
  await refused(t, fixture, "VOTE_NOT_COUNTED", reject, "before the change")
  await asRoot(fixture).submit("UPDATE_POLICY_V2", { policyId, policyConsensus: named(dan, fay) })
  t.equal(await statusAfter(fixture, veto, fay.key), REJECTED)
  await asRoot(fixture).submit("UPDATE_POLICY_V2", { policyId, policyConsensus: "" })
  for (const { key } of [dan, eva]) {
    const vote = voteOn(fixture, body)
    await refused(t, fixture, "ACTIVITY_FINAL", () => client.offer(vote, stampWith(key, vote)))
  }
})

t.test("A5: a deleted DENY lets a root member's activity complete", async (t) => {
  const fixture = await quorumOfThree(t)
  const { acme, alice, bob, address, propose, approve, approval } = fixture
  const condition = "activity.action == 'SIGN'"
  const policies = [
    { policyName: "may", effect: "EFFECT_ALLOW", condition, notes: "" },
    { policyName: "never", effect: "EFFECT_DENY", condition, notes: "" },
  ]
  const made = await propose("CREATE_POLICIES", { policies })
  await approve(alice, made.fingerprint)
  const { policyIds } = valueOf(await approve(bob, made.fingerprint), "createPoliciesResult")
  const { fingerprint } = await propose("SIGN_RAW_PAYLOAD_V2", {
    signWith: address,
    payload: "00".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  })
  const removal = await propose("DELETE_POLICIES", { policyIds: [policyIds[1]] })
  await approve(alice, removal.fingerprint)
  t.equal((await approve(bob, removal.fingerprint)).status, COMPLETED)
  t.equal(await statusAfter(fixture, approval(fingerprint), acme.root), COMPLETED)
})

t.test("A5: a deleted or relaxed MFA policy lets its user complete the activity", async (t) => {
  const fixture = await setupMembers(t)
  const { dan } = fixture
  await allow(fixture)
  await givePasskey(fixture, dan.userId)
  const mfaPolicyId = await demand(fixture, dan.userId, [PASSKEY, API_KEY])
  const [one, two] = [request(fixture, "11".repeat(32)), request(fixture, "22".repeat(32))]
  for (const body of [one, two]) t.equal(await statusAfter(fixture, body, dan.key), AUTHENTICATORS_NEEDED)
  const eased = { requiredAuthenticationMethods: [{ any: [API_KEY] }] }
  await asRoot(fixture).submit("UPDATE_MFA_POLICY", { userId: dan.userId, mfaPolicyId, ...eased })
  t.equal(await statusAfter(fixture, voteOn(fixture, one), dan.key), COMPLETED)
  await asRoot(fixture).submit("DELETE_MFA_POLICY", { userId: dan.userId, mfaPolicyId })
  t.equal(await statusAfter(fixture, voteOn(fixture, two), dan.key), COMPLETED)
})

t.test("A5: a repeated approval adds neither a vote nor a credential", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  const other = await client.login(acme, dan.key)
  await addPolicy(fixture, { effect: "EFFECT_ALLOW", consensus: "approvers.count() >= 2" })
  await addPolicy(fixture, { effect: "EFFECT_ALLOW", consensus: "credentials.count() >= 2" })
  const body = request(fixture)
  t.equal(await statusAfter(fixture, body, dan.key), CONSENSUS_NEEDED)
  for (const key of [dan.key, other.key]) {
    const vote = voteOn(fixture, body)
    await refused(t, fixture, "VOTE_REPEATED", () => client.offer(vote, stampWith(key, vote)))
  }
})

t.test("A5: no change of rules completes the activity of a deleted submitter", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan, eva } = fixture
  const policyId = await allow(fixture, { consensus: "approvers.count() >= 3" })
  const body = request(fixture)
  for (const [vote, key] of [
    [body, dan.key],
    [voteOn(fixture, body), eva.key],
  ] as const)
    t.equal(await statusAfter(fixture, vote, key), CONSENSUS_NEEDED)
  await asRoot(fixture).submit("DELETE_USERS", { userIds: [dan.userId] })
  await asRoot(fixture).submit("UPDATE_POLICY_V2", { policyId, policyConsensus: "approvers.count() >= 1" })
  for (const key of [eva.key, acme.root]) {
    const vote = voteOn(fixture, body)
    await refused(t, fixture, "SUBMITTER_GONE", () => client.offer(vote, stampWith(key, vote)))
  }
})

t.test("A5: a consensus that one more vote would break is judged before that vote", async (t) => {
  const fixture = await setupMembers(t)
  const { dan, eva } = fixture
  const policyId = await allow(fixture, { consensus: "approvers.count() == 2" })
  const body = request(fixture)
  t.equal(await statusAfter(fixture, body, dan.key), CONSENSUS_NEEDED)
  await asRoot(fixture).submit("UPDATE_POLICY_V2", { policyId, policyConsensus: "approvers.count() == 1" })
  t.equal(await statusAfter(fixture, voteOn(fixture, body), eva.key), COMPLETED)
})

t.test("A5: the submitter approves again once the submission no longer counts", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, dan } = fixture
  await allow(fixture)
  await givePasskey(fixture, dan.userId)
  await demand(fixture, dan.userId, [PASSKEY, API_KEY])
  const body = request(fixture)
  t.equal(await statusAfter(fixture, body, dan.key), AUTHENTICATORS_NEEDED)
  boundary.clock.pass(25 * 60 * 60 * 1000)
  t.equal(await statusAfter(fixture, voteOn(fixture, body), dan.key), AUTHENTICATORS_NEEDED)
  const denied = await deny(fixture)
  t.ok(denied)
  const outside = voteOn(fixture, body)
  const attack = () => client.offer(outside, stampWith(fixture.eva.key, outside))
  await refused(t, fixture, "VOTE_NOT_COUNTED", attack, "nobody else")
})
