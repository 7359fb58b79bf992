import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { PendingActivitySchema } from "../../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { API_KEY, demand, givePasskey, PASSKEY, voteOn } from "../../../../hostile/mfa-fixture.ts"
import { quorumOfThree } from "../../../../hostile/quorum.ts"
import { asRoot } from "../../../../hostile/setup.ts"
import { allow, request, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { outcomeOf } from "../../../../harness/api-client.ts"
import { type Stamper, stampWith } from "../../../../harness/stamper.ts"

const HOUR_MS = 60 * 60 * 1000

for (const others of [0, 2]) {
  t.test(
    `a refused vote names three users whose votes count, and the number of the others: ${others}`,
    async (t) => {
      const fixture = await setupMembers(t)
      const { client, acme, dan, eva, fay } = fixture
      const names = new Map([[eva.userId, "eva"]])
      for (let index = 0; index < others + 2; index++)
        names.set((await client.user(acme, `gus ${index}`)).userId, `gus ${index}`)
      const members = [dan.userId, ...names.keys()].map((id) => `u.id == '${id}'`).join(" || ")
      await allow(fixture, {
        policyName: "two of them",
        consensus: `approvers.filter(u, ${members}).count() >= 2`,
      })
      const body = request(fixture)
      const ids = outcomeOf(await client.send(body, dan.key)).decision?.voterIds ?? []
      t.same([...ids].toSorted(), [...names.keys()].toSorted())
      const shown = ids.slice(0, 3).map((id) => `${names.get(id)} (${id})`)
      const counted = ["root members", ...shown, ...(others > 0 ? [`${others} more users`] : [])].join(", ")
      const sentence = `the vote of user ${fay.userId} does not count for this activity; those of ${counted} do`
      t.match(await client.offer(body, stampWith(fay.key, body)), { code: "VOTE_NOT_COUNTED", sentence })
    },
  )
}

t.test(
  "a refused vote on an activity that can no longer be decided names the root members only",
  async (t) => {
    const fixture = await setupMembers(t)
    const { client, dan, eva, fay, walletId } = fixture
    const consensus = `approvers.any(u, u.id == '${dan.userId}') && approvers.any(u, u.id == '${eva.userId}')`
    await allow(fixture, { condition: `wallet.id == '${walletId}'`, consensus })
    const body = request(fixture)
    t.same(outcomeOf(await client.send(body, dan.key)).decision?.voterIds, [eva.userId])
    await asRoot(fixture).submit("DELETE_WALLETS", { walletIds: [walletId], deleteWithoutExport: true })
    const sentence = `the vote of user ${fay.userId} does not count for this activity; those of root members do`
    t.match(await client.offer(body, stampWith(fay.key, body)), { code: "VOTE_NOT_COUNTED", sentence })
  },
)

t.test("a vote is refused that counts only for a policy whose condition does not hold", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva, fay, walletId } = fixture
  await allow(fixture, { consensus: `approvers.any(u, u.id == '${eva.userId}') && approvers.count() >= 2` })
  const consensus = `approvers.any(u, u.id == '${fay.userId}') && approvers.count() >= 2`
  await allow(fixture, { condition: `wallet.id != '${walletId}'`, consensus })
  const body = request(fixture)
  t.same(outcomeOf(await client.send(body, dan.key)).decision?.voterIds, [eva.userId])
  const vote = voteOn(fixture, body)
  t.match(await client.offer(vote, stampWith(fay.key, vote)), { code: "VOTE_NOT_COUNTED" })
})

for (const when of ["while the submission counts", "after its vote has lapsed"]) {
  t.test(`an MFA policy of a voter reads what no policy has read before, ${when}`, async (t) => {
    const fixture = await setupMembers(t)
    const { boundary, client, dan, eva, walletId } = fixture
    await allow(fixture, { consensus: "approvers.count() >= 2" })
    const passkey = await givePasskey(fixture, eva.userId)
    await demand(fixture, eva.userId, [API_KEY, PASSKEY], { condition: `wallet.id == '${walletId}'` })
    const body = request(fixture)
    const statusBy = async (key: Stamper) => outcomeOf(await client.send(voteOn(fixture, body), key)).status
    t.equal(outcomeOf(await client.send(body, dan.key)).status, ActivityStatus.CONSENSUS_NEEDED)
    const hasLapsed = when.startsWith("after")
    if (hasLapsed) boundary.clock.pass(25 * HOUR_MS)
    t.equal(await statusBy(eva.key), ActivityStatus.AUTHENTICATORS_NEEDED)
    if (hasLapsed) t.equal(await statusBy(dan.key), ActivityStatus.AUTHENTICATORS_NEEDED)
    t.equal(await statusBy(passkey), ActivityStatus.COMPLETED)
  })
}

t.test("a rejection stamped before the votes lapsed is refused after it", async (t) => {
  const { boundary, client, alice, propose, rejection } = await quorumOfThree(t)
  const { fingerprint } = await propose()
  boundary.clock.pass(24 * HOUR_MS - 600_000)
  const held = rejection(fingerprint)
  boundary.clock.pass(1_200_000)
  t.match(await client.send(held, alice.key), { is: "refused", code: "REQUEST_STALE", field: "timestampMs" })
  const status = ActivityStatus.REJECTED
  t.match(await client.send(rejection(fingerprint), alice.key), { is: "outcome", outcome: { status } })
})

t.test("a request is stamped anew from the millisecond in which the votes lapsed", async (t) => {
  const { boundary, client, acme, alice, bob, propose, approve, rejection } = await quorumOfThree(t)
  const { fingerprint } = await propose()
  const [row] = boundary.signer.state().ledger.rows(acme.organizationId, "pending")
  const submission = fromBinary(PendingActivitySchema, row!.value).votes[0]!
  const lapsedAtMs = Number(submission.createdAtMs) + 24 * HOUR_MS
  boundary.clock.pass(24 * HOUR_MS + 600_000)
  t.equal(
    (await approve(bob, fingerprint)).status,
    ActivityStatus.CONSENSUS_NEEDED,
    "a vote of the second day",
  )
  const rejectionAt = (timestampMs: number) =>
    JSON.stringify({ ...JSON.parse(rejection(fingerprint)), timestampMs: String(timestampMs) })
  t.match(await client.send(rejectionAt(lapsedAtMs - 1), alice.key), { code: "REQUEST_STALE" })
  const status = ActivityStatus.REJECTED
  t.match(await client.send(rejectionAt(lapsedAtMs), alice.key), { is: "outcome", outcome: { status } })
})
