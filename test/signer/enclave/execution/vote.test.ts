// The members of the reply to a vote beside its status.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { PendingActivitySchema } from "../../../../proto/gen/countersign/state/v1/activity_pb.ts"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { refuse } from "../../../../signer/core/refusal.ts"
import { outcomeOf, signParams } from "../../../harness/api-client.ts"
import { asking } from "../../../harness/proofs.ts"
import { fingerprintOf } from "../../../harness/stamper.ts"
import { quorumOfThree } from "../../../hostile/quorum.ts"
import { allow, request, setupMembers } from "../../../hostile/consensus-fixture.ts"

t.test("a vote on an unknown activity names the parameter that is wrong", async (t) => {
  const { client, alice, approval } = await quorumOfThree(t)
  const answer = await client.send(approval("00".repeat(32)), alice.key)
  t.match(answer, { is: "refused", code: "ACTIVITY_UNKNOWN", field: "parameters.fingerprint" })
})

t.test("a fingerprint has its prefix in front", async (t) => {
  const { client, acme, alice, propose } = await quorumOfThree(t)
  const { fingerprint } = await propose()
  const voteOn = (spelling: string) =>
    client.send(
      client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, { fingerprint: spelling }),
      alice.key,
    )
  for (const at of [2, 32, 64]) {
    const answer = await voteOn(`${fingerprint.slice(0, at)}sha256:${fingerprint.slice(at)}`)
    t.match(answer, { is: "refused", field: "parameters.fingerprint" })
  }
  t.equal(outcomeOf(await voteOn(`sha256:${fingerprint}`)).status, ActivityStatus.CONSENSUS_NEEDED)
})

t.test("a vote is stored with its body, unless it is the activity's own", async (t) => {
  const { boundary, client, acme, alice, bob, propose, approval } = await quorumOfThree(t)
  const { ledger } = boundary.signer.state()
  for (const [isOwn, voter] of [
    [true, alice],
    [false, bob],
  ] as const) {
    const { body, fingerprint } = await propose()
    const vote = isOwn ? body : approval(fingerprint)
    t.equal(outcomeOf(await client.send(vote, voter.key)).status, ActivityStatus.CONSENSUS_NEEDED)
    const row = ledger.row(acme.organizationId, "pending", fingerprint)
    const messages = fromBinary(PendingActivitySchema, row!).votes.map(({ message }) =>
      Buffer.from(message).toString(),
    )
    t.same(messages, ["", isOwn ? "" : vote])
  }
})

t.test("an activity that its last vote completes names no awaited voter", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva, fay } = fixture
  await allow(fixture, { consensus: "approvers.count() >= 2" })
  const body = request(fixture)
  const voters = async (key: typeof dan.key) => outcomeOf(await client.send(body, key)).decision?.voterIds
  t.same((await voters(dan.key))?.toSorted(), [eva.userId, fay.userId].toSorted())
  t.strictSame(await voters(eva.key), [])
})

t.test("a reply has proofs when the activity or the vote asks for them", async (t) => {
  const { client, acme, alice, bob, address } = await quorumOfThree(t)
  const { organizationId, root } = acme
  const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
  const proofsOf = async (body: string, key: typeof root) =>
    outcomeOf(await client.send(body, key)).appProofs.length
  for (const [payload, activityAsks, voteAsks] of [
    ["11", false, false],
    ["22", false, true],
    ["33", true, false],
    ["44", true, true],
  ] as const) {
    const make = (asks: boolean, ...parts: [string, string, object]) =>
      asks ? asking(client, ...parts) : client.body(...parts)
    const body = make(activityAsks, type, organizationId, signParams(address, payload.repeat(32)))
    t.equal((await proofsOf(body, root)) > 0, activityAsks)
    const fingerprint = `sha256:${fingerprintOf(body)}`
    const vote = () => make(voteAsks, "ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, { fingerprint })
    for (const { key } of [alice, bob])
      t.equal((await proofsOf(vote(), key)) > 0, activityAsks || voteAsks, `${activityAsks} ${voteAsks}`)
  }
})

t.test(
  "a vote that cannot be stored is refused; an activity whose outcome cannot be stored ends",
  async (t) => {
    const { boundary, client, acme, alice, bob, propose, approval } = await quorumOfThree(t)
    const { fingerprint } = await propose()
    const send = async ({ key }: typeof alice) => client.send(approval(fingerprint), key)
    const { ledger } = boundary.signer.state()
    const { commit } = ledger
    const failOnce = () => {
      ledger.commit = () => {
        ledger.commit = commit
        return Promise.reject(refuse("OUTCOME_TOO_LARGE", "too large"))
      }
    }
    failOnce()
    t.match(await send(alice), { is: "refused", code: "OUTCOME_TOO_LARGE" })
    t.equal(
      outcomeOf(await send(alice)).status,
      ActivityStatus.CONSENSUS_NEEDED,
      "it waits on, and the vote was not cast",
    )
    failOnce()
    const parameters = { fingerprint: `sha256:${fingerprint}` }
    const vote = asking(client, "ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, parameters)
    const ended = outcomeOf(await client.send(vote, bob.key))
    const proof = JSON.parse(ended.appProofs.at(-1)!.proofPayload) as object
    t.match(proof, { policyOutcomeProof: { outcome: "OUTCOME_ALLOW" } }, "its votes had allowed it")
    t.match(ended, { status: ActivityStatus.FAILED, failure: { code: RefusalCode.OUTCOME_TOO_LARGE } })
    t.match(await send(alice), { is: "refused", code: "ACTIVITY_FINAL" })
  },
)
