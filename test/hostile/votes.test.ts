import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { keptOutcome, outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { fingerprintOf, newKey, stampWith } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { ledgerDigest, refused } from "./setup.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const { CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus

t.test("A5: refuses a vote that its user did not stamp", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, alice, propose, approval, approve } = fixture
  const { fingerprint, body } = await propose()
  const vote = approval(fingerprint)
  const mallory = newKey()
  const posing = stampWith({ ...mallory, publicKeyHex: alice.key.publicKeyHex }, vote)
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(vote, posing), "somebody's signature")
  const ofBody = stampWith(alice.key, "another body")
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(vote, ofBody), "a stamp of another body")
  await refused(
    t,
    fixture,
    "STAMP_INVALID",
    () => client.offer(body, ofBody),
    "the same as an identical body",
  )
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(vote, stampWith(mallory, vote)))
  await refused(t, fixture, "STAMP_MISSING", () => client.offer(vote, ""))
  const other = await client.createOrganization("Other")
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(vote, stampWith(other.root, vote)))
  t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED)
})

t.test("A5: refuses the vote of a user who is not an eligible voter", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, eve, alice, bob, propose, approval, rejection, approve } = fixture
  const { fingerprint, body } = await propose()
  for (const vote of [approval(fingerprint), rejection(fingerprint), body])
    await refused(t, fixture, "VOTE_NOT_COUNTED", () => client.offer(vote, stampWith(eve.key, vote)))
  t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED)
  t.equal((await approve(bob, fingerprint)).status, COMPLETED)
})

t.test("A5: a user counts once, whatever key and form of vote they use", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, acme, alice, bob, propose, approval, rejection, approve, give } = fixture
  const second = newKey()
  await give(alice, second)
  const { fingerprint, body } = await propose()
  t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED)
  const again = [
    { vote: approval(fingerprint), key: alice.key },
    { vote: approval(fingerprint), key: second },
    { vote: rejection(fingerprint), key: alice.key },
    { vote: body, key: alice.key },
    { vote: body, key: second },
    { vote: approval(fingerprint), key: acme.root },
  ]
  for (const { vote, key } of again)
    await refused(t, fixture, "VOTE_REPEATED", () => client.offer(vote, stampWith(key, vote)))
  t.equal((await approve(bob, fingerprint)).status, COMPLETED)
})

t.test("A5: a vote counts for its own activity only", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, alice, bob, propose, approval, approve } = fixture
  const [one, two] = [await propose(), await propose()]
  const vote = approval(one.fingerprint)
  const xStamp = stampWith(alice.key, vote)
  t.match(await client.send(vote, alice.key), { is: "outcome" })
  const moved = vote.replace(one.fingerprint, two.fingerprint)
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(moved, xStamp), "moved to another activity")
  t.equal((await approve(bob, two.fingerprint)).status, CONSENSUS_NEEDED, "the other has two of three votes")
  const done = await approve(bob, one.fingerprint)
  t.equal(done.status, COMPLETED)
  await client.acknowledge(fixture.acme.organizationId, fingerprintOf(vote), alice.key.publicKeyHex)
  await refused(t, fixture, "ACTIVITY_FINAL", () => client.offer(vote, xStamp), "when it is done")
})

t.test("A5: a rejected activity accepts no vote and no replay", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, alice, bob, propose, approval, rejection } = fixture
  const { fingerprint, body } = await propose()
  t.match(await client.send(rejection(fingerprint), alice.key), { outcome: { status: REJECTED } })
  await client.acknowledge(acme.organizationId, fingerprint, acme.root.publicKeyHex)
  for (const when of ["at once", "after a restart"]) {
    for (const key of [alice.key, bob.key]) {
      const vote = approval(fingerprint)
      await refused(t, fixture, "ACTIVITY_FINAL", () => client.offer(vote, stampWith(key, vote)), when)
    }
    for (const key of [acme.root, alice.key, bob.key])
      await refused(t, fixture, "ACTIVITY_REPLAYED", () => client.offer(body, stampWith(key, body)), when)
    await boundary.restart()
  }
})

t.test("A5: the vote of a user who left the root quorum no longer counts", async (t) => {
  const fixture = await quorumOfThree(t)
  const { acme, alice, bob, eve, propose, approve } = fixture
  const { fingerprint } = await propose()
  t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED)
  const userIds = [acme.rootUserId, bob.userId, eve.userId]
  const change = await propose("UPDATE_ROOT_QUORUM", { threshold: 3, userIds })
  await approve(alice, change.fingerprint)
  t.equal((await approve(bob, change.fingerprint)).status, COMPLETED)
  t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED, "root and bob: two of three")
  t.equal((await approve(eve, fingerprint)).status, COMPLETED)
})

t.test("A5: the submitter's own vote no longer counts once they left the root quorum", async (t) => {
  const fixture = await quorumOfThree(t)
  const { alice, bob, eve, propose, approve } = fixture
  const { fingerprint } = await propose()
  const userIds = [alice.userId, bob.userId, eve.userId]
  const change = await propose("UPDATE_ROOT_QUORUM", { threshold: 2, userIds })
  await approve(alice, change.fingerprint)
  t.equal((await approve(bob, change.fingerprint)).status, COMPLETED)
  t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED, "one of two")
  t.equal((await approve(eve, fingerprint)).status, COMPLETED)
})

t.test("A5: votes lapse after a day, also across a restart, and no old body revives them", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, alice, bob, propose, approval, approve } = fixture
  const { fingerprint, body } = await propose()
  boundary.clock.pass(DAY_MS - 10 * 60_000)
  const vote = approval(fingerprint)
  t.match(await client.send(vote, alice.key), { outcome: { status: CONSENSUS_NEEDED } })
  await client.acknowledge(acme.organizationId, fingerprintOf(vote), alice.key.publicKeyHex)
  boundary.clock.pass(10 * 60_000)
  const replay = () => client.offer(vote, stampWith(alice.key, vote))
  await refused(t, fixture, "ACTIVITY_REPLAYED", replay, "a lapsed vote's own body, still live")
  t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED, "bob is the first of a new day")
  await refused(t, fixture, "ACTIVITY_REPLAYED", replay, "after another's vote")
  await boundary.restart()
  await refused(t, fixture, "ACTIVITY_REPLAYED", replay, "after a restart")
  await refused(t, fixture, "REQUEST_STALE", () => client.offer(body, stampWith(acme.root, body)))
  const anew = { key: acme.root }
  t.equal((await approve(anew, fingerprint)).status, CONSENSUS_NEEDED, "given again it counts")
  t.equal((await approve(alice, fingerprint)).status, COMPLETED)
})

t.test("A5: a restart neither loses nor doubles a vote", async (t) => {
  const fixture = await quorumOfThree(t)
  const { boundary, client, acme, alice, bob, address, propose, approval, approve } = fixture
  const { fingerprint } = await propose("SIGN_RAW_PAYLOAD_V2", signParams(address))
  await boundary.restart()
  const vote = approval(fingerprint)
  const xStamp = stampWith(alice.key, vote)
  const first = await client.offer(vote, xStamp)
  await boundary.restart()
  const before = ledgerDigest(fixture)
  const again = outcomeOf(await client.offer(vote, xStamp))
  t.same(again, keptOutcome(outcomeOf(first)), "unacknowledged: the same outcome comes back")
  t.equal(ledgerDigest(fixture), before, "and is no second vote")
  await client.acknowledge(acme.organizationId, fingerprintOf(vote), alice.key.publicKeyHex)
  await boundary.restart()
  await refused(t, fixture, "VOTE_REPEATED", () => client.offer(vote, xStamp))
  t.ok(valueOf(await approve(bob, fingerprint), "signRawPayloadResult").r)
})

t.test("A5: votes cast at once all count, each once", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, alice, bob, propose, approval } = fixture
  const { fingerprint } = await propose()
  const voters = [...Array.from({ length: 10 }, () => alice), ...Array.from({ length: 10 }, () => bob)]
  const votes = voters.map(({ key }) => {
    const vote = approval(fingerprint)
    return client.offer(vote, stampWith(key, vote))
  })
  const answers = await Promise.all(votes)
  const statuses = answers.flatMap((answer) => (answer.is === "outcome" ? [answer.outcome.status] : []))
  t.same(statuses, [CONSENSUS_NEEDED, COMPLETED])
  const codes = new Set(answers.flatMap((answer) => (answer.is === "refused" ? [answer.code] : [])))
  t.same([...codes].toSorted(), ["ACTIVITY_FINAL", "VOTE_REPEATED"])
})
