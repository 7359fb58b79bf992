// One body of an approve_activity or reject_activity, stamped by several users or credentials.
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { fingerprintOf, newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { demand, API_KEY, SESSION, outcomeOf, request, setupMembers, voteOn } from "./mfa-fixture.ts"
import { type Quorum, quorumOfThree } from "./quorum.ts"
import { asRoot, refused } from "./setup.ts"
import { apiKey } from "../harness/api-client.ts"

const { AUTHENTICATORS_NEEDED, CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus

const acknowledge = ({ client, acme }: Quorum, body: string, { publicKeyHex }: TestKey) =>
  client.acknowledge(acme.organizationId, fingerprintOf(body), publicKeyHex)

t.test("A5: several users approve with one body, and each of them counts once", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, alice, bob, eve, propose, approval, give } = fixture
  const second = newKey()
  await give(alice, second)
  const { fingerprint } = await propose()
  const vote = approval(fingerprint)
  const offer = (key: TestKey) => () => client.offer(vote, stampWith(key, vote))
  t.match(await client.send(vote, alice.key), { outcome: { status: CONSENSUS_NEEDED } })
  await acknowledge(fixture, vote, alice.key)
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    await refused(t, fixture, "VOTE_REPEATED", offer(alice.key), "the same stamp")
    await refused(t, fixture, "VOTE_REPEATED", offer(second), "another key of the same user")
    await refused(t, fixture, "VOTE_NOT_COUNTED", offer(eve.key), "a user without rights")
    const posing = stampWith({ ...alice.key, publicKeyHex: bob.key.publicKeyHex }, vote)
    await refused(t, fixture, "STAMP_INVALID", () => client.offer(vote, posing), "one stamp for two users")
  }
  t.match(await client.send(vote, bob.key), { outcome: { status: COMPLETED } }, "another user")
  await acknowledge(fixture, vote, bob.key)
  for (const key of [alice.key, bob.key, second]) await refused(t, fixture, "ACTIVITY_FINAL", offer(key))
})

t.test(
  "A5: a vote's row written by earlier code, which names no credential, keeps no other user out",
  async (t) => {
    const fixture = await quorumOfThree(t)
    const { boundary, client, acme, alice, bob, propose, approval } = fixture
    const { organizationId } = acme
    const { fingerprint } = await propose()
    const vote = approval(fingerprint)
    t.match(await client.send(vote, alice.key), { outcome: { status: CONSENSUS_NEEDED } })
    await acknowledge(fixture, vote, alice.key)
    const { ledger } = boundary.signer.state()
    const head = ledger.head(organizationId)!
    const row = (key: string) => ({ kind: "fingerprint", key }) as const
    const expiresMs = boundary.nowMs() + 60 * 60 * 1000
    const earlier = { ...row(fingerprintOf(vote)), value: Buffer.from("VOTE"), expiresMs }
    const remove = [row(`${fingerprintOf(vote)}/${alice.key.publicKeyHex}`)]
    await ledger.commit([{ organizationId, expect: head, head, put: [earlier], remove }])
    await boundary.restart()
    await refused(t, fixture, "VOTE_REPEATED", () => client.offer(vote, stampWith(alice.key, vote)))
    t.match(await client.send(vote, bob.key), { outcome: { status: COMPLETED } })
  },
)

t.test("A5: a vote's body, given by two users, names one activity for both", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, alice, bob, propose, rejection } = fixture
  const { fingerprint } = await propose()
  const veto = rejection(fingerprint)
  t.match(await client.send(veto, alice.key), { outcome: { status: REJECTED } })
  await refused(t, fixture, "ACTIVITY_FINAL", () => client.offer(veto, stampWith(bob.key, veto)))
})

t.test("A5: one user meets an MFA policy with one body stamped by two credentials", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan } = fixture
  const [phone, laptop] = [newKey(), newKey()]
  const apiKeys = [apiKey(phone, "phone"), apiKey(laptop, "laptop")]
  await asRoot(fixture).submit("CREATE_API_KEYS_V2", { userId: dan.userId, apiKeys })
  await demand(fixture, dan.userId, [SESSION, API_KEY, API_KEY])
  const session = await client.login(acme, phone)
  const body = request(fixture)
  t.match(await outcomeOf(fixture, body, dan.key), { status: AUTHENTICATORS_NEEDED })
  const vote = voteOn(fixture, body)
  const again = (key: TestKey) => () => client.offer(vote, stampWith(key, vote))
  t.match(await outcomeOf(fixture, vote, session.key), { status: AUTHENTICATORS_NEEDED })
  await client.acknowledge(acme.organizationId, fingerprintOf(vote), session.key.publicKeyHex)
  for (const restart of [false, true]) {
    if (restart) await boundary.restart()
    for (const key of [session.key, dan.key, phone]) await refused(t, fixture, "VOTE_REPEATED", again(key))
  }
  t.match(await outcomeOf(fixture, vote, laptop), { status: COMPLETED })
})
