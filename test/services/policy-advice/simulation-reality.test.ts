import { NO_INTERFACES } from "../../../signer/core/contract-interface/interfaces.ts"
import { fromBinary } from "@bufbuild/protobuf"
import fc from "fast-check"
import t from "tap"
import { activityTypes } from "../../../proto/catalog.ts"
import { ActivityStatus, Outcome, OutcomeSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type OrganizationDocument,
  OrganizationDocumentSchema,
  NotarizedDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { simulate } from "../../../services/policy-advice/simulate.ts"
import { allow, deny, type MemberFixture, request, setupMembers } from "../../hostile/consensus-fixture.ts"
import { voteOn } from "../../hostile/mfa-fixture.ts"
import { asRoot } from "../../hostile/setup.ts"
import { valueOf } from "../../harness/api-client.ts"

type Name = "root" | "dan" | "eva" | "fay"

/** A policy of a random set. `consensus` names users by their name, in braces. */
type Rule = { effect: "allow" | "deny"; consensus: string }

const CONSENSUS = [
  "",
  "approvers.count() >= 2",
  "approvers.count() == 2",
  "approvers.count() == 3",
  "approvers.count() >= 3",
  "approvers.any(u, u.id == '{dan}')",
  "approvers.any(u, u.id == '{eva}')",
  "approvers.any(u, u.id == '{dan}') && approvers.any(u, u.id == '{eva}')",
  "approvers.filter(u, u.id in ['{dan}', '{fay}']).count() >= 2",
  "approvers.all(u, u.id in ['{dan}', '{fay}']) && approvers.count() >= 2",
  "!approvers.any(u, u.id == '{eva}') && approvers.count() >= 3",
  "approvers.any(u, u.id == '{dan}') && approvers.any(u, u.id == '{fay}') && approvers.count() == 2",
  "approvers.any(u, u.id == '{eva}') && approvers.any(u, u.id == '{fay}') && approvers.count() == 2",
  "approvers.any(u, u.id == '{root}') && approvers.count() >= 2",
]

const rules: fc.Arbitrary<Rule[]> = fc.array(
  fc.record({
    effect: fc.constantFrom("allow" as const, "allow" as const, "allow" as const, "deny" as const),
    consensus: fc.constantFrom(...CONSENSUS),
  }),
  { minLength: 1, maxLength: 2 },
)
const votes = fc.shuffledSubarray<Name>(["eva", "fay", "dan"], { minLength: 2 })
const submitters = fc.constantFrom<Name>("dan", "eva", "fay")

function documentOf({ client, acme }: MemberFixture): OrganizationDocument {
  const { document } = fromBinary(NotarizedDocumentSchema, client.documents.get(acme.organizationId)!)
  return fromBinary(OrganizationDocumentSchema, document)
}

/** The outcome as the signer reaches it: submission, then each vote in turn; a refused vote changes nothing. */
async function decidedReally(
  fixture: MemberFixture,
  submitter: Name,
  voters: readonly Name[],
): Promise<string> {
  const { client } = fixture
  const keyOf = (name: Name) => (name === "root" ? fixture.acme.root : fixture[name].key)
  const body = request(fixture)
  const submission = await client.send(body, keyOf(submitter))
  if (submission.is !== "outcome") return "DENY"
  let { status } = submission.outcome
  for (const name of voters) {
    if (status === ActivityStatus.COMPLETED) break
    const answer = await client.send(voteOn(fixture, body), keyOf(name))
    if (answer.is === "outcome") ({ status } = answer.outcome)
  }
  return status === ActivityStatus.COMPLETED ? "ALLOW" : "REQUIRES_CONSENSUS"
}

// Two of 60 outcomes differed: the simulation counted votes that the signer refuses.
t.test("a simulation has the outcome that the signer reaches with the same votes", async (t) => {
  const fixture = await setupMembers(t)
  const { submit } = asRoot(fixture)
  const idOf = (name: Name) => (name === "root" ? fixture.acme.rootUserId : fixture[name].userId)
  const counts = new Map<string, number>()
  const property = fc.asyncProperty(rules, submitters, votes, async (all, submitter, voters) => {
    const policyIds: string[] = []
    for (const [index, { effect, consensus }] of all.entries()) {
      const text = consensus.replace(/\{(\w+)\}/g, (_, name: Name) => idOf(name))
      const parts = { condition: "activity.action == 'SIGN'", ...(text && { consensus: text }) }
      policyIds.push(
        await (effect === "allow" ? allow : deny)(fixture, { ...parts, policyName: `rule ${index}` }),
      )
    }
    const others = voters.filter((name) => name !== submitter)
    const simulated = simulate({
      document: documentOf(fixture),
      drafts: [],
      onlyDrafts: false,
      activity: activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")!,
      parameters: {},
      holdings: {},
      interfaces: NO_INTERFACES,
      submitter: { userId: idOf(submitter) },
      approvers: others.map((name) => ({ userId: idOf(name) })),
      nowMs: Date.now(),
    })
    const expected = (OutcomeSchema.value[simulated.outcome]?.localName ?? "").replace(/^DENY_.*/, "DENY")
    const found = await decidedReally(fixture, submitter, others)
    valueOf(await submit("DELETE_POLICIES", { policyIds }), "deletePoliciesResult")
    counts.set(found, (counts.get(found) ?? 0) + 1)
    if (found !== expected) {
      throw new Error(
        `${submitter}, then ${others.join()}: ${found}, simulated ${expected} (${simulated.reason})`,
      )
    }
  })
  await fc.assert(property, { numRuns: 200 })
  for (const outcome of ["ALLOW", "DENY", "REQUIRES_CONSENSUS"])
    t.ok((counts.get(outcome) ?? 0) >= 5, `${outcome} ${counts.get(outcome)} times`)
})

t.test("a vote that the signer would refuse is named and not counted", async (t) => {
  const fixture = await setupMembers(t)
  const { dan, eva, fay } = fixture
  const asks = (...users: { userId: string }[]) =>
    users.map(({ userId }) => `approvers.any(u, u.id == '${userId}')`)
  await allow(fixture, { consensus: `${asks(dan, fay).join(" && ")} && approvers.count() == 2` })
  const trial = {
    document: documentOf(fixture),
    drafts: [],
    onlyDrafts: false,
    activity: activityTypes.get("ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")!,
    parameters: {},
    holdings: {},
    interfaces: NO_INTERFACES,
    submitter: { userId: dan.userId },
    nowMs: Date.now(),
  }
  const one = simulate({ ...trial, approvers: [{ userId: eva.userId }] })
  t.match(one, { outcome: Outcome.REQUIRES_CONSENSUS, reason: new RegExp(`do not count: ${eva.userId}`) })
  const both = simulate({ ...trial, approvers: [{ userId: eva.userId }, { userId: fay.userId }] })
  t.equal(both.outcome, Outcome.ALLOW, "the next vote completes it")
})
