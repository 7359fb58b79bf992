import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus, Outcome } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { valueOf } from "../harness/api-client.ts"
import { fingerprintOf, stampWith, type TestKey } from "../harness/stamper.ts"
import { asRoot, type Fixture, refused } from "./setup.ts"
import { allow, deny, type Member, request, setupMembers } from "./consensus-fixture.ts"

const { CONSENSUS_NEEDED, COMPLETED, REJECTED } = ActivityStatus

const bothOf = (one: Member, other: Member) =>
  `approvers.any(u, u.id == '${one.userId}') && approvers.any(u, u.id == '${other.userId}')`

t.test("A5: only votes in the ledger complete an activity that policies left pending", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, dan, eva, fay } = fixture
  await allow(fixture, { consensus: bothOf(dan, eva) })
  const body = request(fixture)
  const approval = voteOn(fixture, "APPROVE", body)
  const early = stampWith(eva.key, approval)
  await refused(
    t,
    fixture,
    "ACTIVITY_UNKNOWN",
    () => client.offer(approval, early),
    "before what it is about",
  )
  const opened = await outcomeOf(fixture, body, dan)
  t.match(opened, { status: CONSENSUS_NEEDED, decision: { voterIds: [eva.userId] } })
  t.match(opened.decision?.policyOutcomes, [{ outcome: Outcome.REQUIRES_CONSENSUS }])
  for (const vote of [approval, body, voteOn(fixture, "REJECT", body)]) {
    const attack = () => client.offer(vote, stampWith(fay.key, vote))
    await refused(t, fixture, "VOTE_NOT_COUNTED", attack, "of who is not counted")
  }
  const forged = stampWith({ ...fay.key, publicKeyHex: eva.key.publicKeyHex }, approval)
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(approval, forged), "by another key")
  const repeated = voteOn(fixture, "APPROVE", body)
  await refused(
    t,
    fixture,
    "VOTE_REPEATED",
    () => client.offer(repeated, stampWith(dan.key, repeated)),
    "twice",
  )
  await boundary.restart()
  const done = await outcomeOf(fixture, approval, eva)
  t.match(done, { status: COMPLETED, decision: { voterIds: [] } })
  t.match(done.decision?.policyOutcomes, [{ outcome: Outcome.ALLOW }])
  t.ok(valueOf(done, "signRawPayloadResult").r)
})

t.test("A5: a user's vote for one activity does not count for another", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva } = fixture
  await allow(fixture, { consensus: bothOf(dan, eva) })
  const [one, two] = [request(fixture, "11".repeat(32)), request(fixture, "22".repeat(32))]
  for (const body of [one, two]) await outcomeOf(fixture, body, dan)
  const vote = voteOn(fixture, "APPROVE", one)
  const xStamp = stampWith(eva.key, vote)
  const moved = vote.replace(fingerprintOf(one), fingerprintOf(two))
  await refused(t, fixture, "STAMP_INVALID", () => client.offer(moved, xStamp))
  t.match(await outcomeOf(fixture, vote, eva), { status: COMPLETED })
  const other = await client.createOrganization("Other")
  const abroad = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", other.organizationId, {
    fingerprint: `sha256:${fingerprintOf(two)}`,
  })
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(abroad, stampWith(eva.key, abroad)))
})

t.test("A5: the order in which two approve makes no difference", async (t) => {
  const fixture = await setupMembers(t)
  const { dan, eva } = fixture
  await allow(fixture, { consensus: bothOf(dan, eva) })
  for (const [first, second] of [[dan, eva] as const, [eva, dan] as const]) {
    const body = request(fixture)
    t.match(await outcomeOf(fixture, body, first), { status: CONSENSUS_NEEDED })
    t.match(await outcomeOf(fixture, body, second), { status: COMPLETED }, "the identical body is a vote")
  }
})

t.test("A5: approvals from before a policy change are evaluated against the current policy", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva, fay } = fixture
  const policyId = await allow(fixture, { consensus: bothOf(dan, eva) })
  const [one, two, three] = ["11", "22", "33"].map((byte) => request(fixture, byte.repeat(32))) as [
    string,
    string,
    string,
  ]
  for (const body of [one, two, three]) await outcomeOf(fixture, body, dan)

  const all = `${bothOf(dan, eva)} && approvers.any(u, u.id == '${fay.userId}')`
  await asRoot(fixture).submit("UPDATE_POLICY_V2", { policyId, policyConsensus: all })
  const waiting = await outcomeOf(fixture, voteOn(fixture, "APPROVE", one), eva)
  t.match(
    waiting,
    { status: CONSENSUS_NEEDED, decision: { voterIds: [fay.userId] } },
    "one more is asked for",
  )
  t.match(await outcomeOf(fixture, voteOn(fixture, "APPROVE", one), fay), { status: COMPLETED })

  const denyId = await deny(fixture, { condition: "activity.action == 'SIGN'" })
  await outcomeOf(fixture, voteOn(fixture, "APPROVE", two), eva)
  const denied = await outcomeOf(fixture, voteOn(fixture, "APPROVE", two), fay)
  t.match(denied, { status: CONSENSUS_NEEDED }, "a DENY made meanwhile stands against it")
  t.same(
    denied.decision?.policyOutcomes.map(({ outcome }) => outcome),
    [Outcome.ALLOW, Outcome.DENY_EXPLICIT],
  )
  t.match(await outcomeOf(fixture, voteOn(fixture, "APPROVE", two), { key: fixture.acme.root }), {
    status: COMPLETED,
  })

  await asRoot(fixture).submit("DELETE_POLICIES", { policyIds: [policyId, denyId] })
  const vote = voteOn(fixture, "APPROVE", three)
  const attack = () => client.offer(vote, stampWith(eva.key, vote))
  await refused(t, fixture, "VOTE_NOT_COUNTED", attack, "no policy counts it any more")
  await allow(fixture, { consensus: bothOf(dan, eva) })
  t.match(await outcomeOf(fixture, vote, eva), { status: COMPLETED }, "one does again")
})

t.test("A5: a user who lost a tag no longer counts as a holder of that tag", async (t) => {
  const fixture = await setupMembers(t)
  const { client, dan, eva } = fixture
  const made = await asRoot(fixture).submit("CREATE_USER_TAG", {
    userTagName: "admin",
    userIds: [eva.userId],
  })
  const { userTagId } = valueOf(made, "createUserTagResult")
  const admin = `approvers.any(u, u.tags.contains('${userTagId}'))`
  await allow(fixture, { consensus: `approvers.any(u, u.id == '${dan.userId}') && ${admin}` })
  const body = request(fixture)
  t.match(await outcomeOf(fixture, body, dan), { decision: { voterIds: [eva.userId] } })
  await asRoot(fixture).submit("UPDATE_USER_TAG", { userTagId, addUserIds: [], removeUserIds: [eva.userId] })
  const vote = voteOn(fixture, "APPROVE", body)
  await refused(t, fixture, "VOTE_NOT_COUNTED", () => client.offer(vote, stampWith(eva.key, vote)))
})

t.test("A5: an activity that an eligible voter rejected never runs", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan, eva } = fixture
  await allow(fixture, { consensus: bothOf(dan, eva) })
  const body = request(fixture)
  await outcomeOf(fixture, body, dan)
  const approval = voteOn(fixture, "APPROVE", body)
  t.match(await outcomeOf(fixture, voteOn(fixture, "REJECT", body), eva), { status: REJECTED })
  await client.acknowledge(acme.organizationId, fingerprintOf(body), dan.key.publicKeyHex)
  await allow(fixture)
  for (const when of ["at once", "after a restart"]) {
    await refused(
      t,
      fixture,
      "ACTIVITY_FINAL",
      () => client.offer(approval, stampWith(eva.key, approval)),
      when,
    )
    for (const { key } of [dan, eva, { key: acme.root }])
      await refused(t, fixture, "ACTIVITY_REPLAYED", () => client.offer(body, stampWith(key, body)), when)
    await boundary.restart()
  }
})

t.test("A1: a policy is neither dropped from the document nor put into it", async (t) => {
  const fixture = await setupMembers(t)
  const { boundary, client, acme, dan } = fixture
  const { organizationId } = acme
  const before = client.documents.get(organizationId)!
  await allow(fixture)
  const between = client.documents.get(organizationId)!
  await deny(fixture)
  const { document, signature } = fromBinary(NotarizedDocumentSchema, client.documents.get(organizationId)!)
  const parts = fromBinary(OrganizationDocumentSchema, document)
  const edited = (policies: typeof parts.policies) => {
    const bytes = toBinary(OrganizationDocumentSchema, { ...parts, policies })
    return toBinary(NotarizedDocumentSchema, create(NotarizedDocumentSchema, { document: bytes, signature }))
  }
  const body = request(fixture)
  const xStamp = stampWith(dan.key, body)
  await boundary.restart()
  const show = (shown: Uint8Array) => () => client.order(body, xStamp, { document: shown })
  await refused(t, fixture, "DOCUMENT_FORGED", show(edited(parts.policies.slice(0, 1))), "without the DENY")
  await refused(t, fixture, "DOCUMENT_FORGED", show(edited([])), "without any")
  const [first, second] = parts.policies as [(typeof parts.policies)[0], (typeof parts.policies)[0]]
  await refused(
    t,
    fixture,
    "DOCUMENT_FORGED",
    show(edited([first, { ...second, condition: "false" }])),
    "rewritten",
  )
  for (const older of [before, between])
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", show(older), "older")
  t.match(await client.order(body, xStamp), { is: "needed" }, "left out it is asked for")
  await refused(t, fixture, "PERMISSION_DENIED", show(client.documents.get(organizationId)!), "as it is")
})

function voteOn({ client, acme }: Fixture, type: "APPROVE" | "REJECT", body: string): string {
  const fingerprint = `sha256:${fingerprintOf(body)}`
  return client.body(`ACTIVITY_TYPE_${type}_ACTIVITY`, acme.organizationId, { fingerprint })
}

async function outcomeOf({ client }: Fixture, body: string, { key }: { key: TestKey }) {
  const answer = await client.send(body, key)
  if (answer.is !== "outcome") throw new Error(`no outcome: ${JSON.stringify(answer)}`)
  return answer.outcome
}
