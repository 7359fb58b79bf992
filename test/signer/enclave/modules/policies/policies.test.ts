import t, { type Test } from "tap"
import { ActivityStatus } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import type { Policy } from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { RefusalName } from "../../../../../signer/core/refusal.ts"
import { type Order, refusedAt, settled } from "../../../../contract/refused.ts"
import { NIL, TYPE } from "../../../../contract/boundary/names.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { documentOf } from "../../../../harness/document.ts"

type Fixture = Awaited<ReturnType<typeof settled>>
type Texts = { condition?: string | null; consensus?: string; time?: string; notes?: string }

function allow(policyName: string, texts: Texts = {}) {
  return { policyName, effect: "EFFECT_ALLOW", notes: "", ...texts }
}

async function created({ submit }: Fixture, policy: object): Promise<string> {
  return valueOf(await submit("CREATE_POLICY_V3", policy), "createPolicyResult").policyId
}

/** The policies as the document has them, without what they were made by and when. */
function policiesOf({ client, organizationId }: Fixture) {
  return documentOf(client, organizationId).policies.map(
    ({ $typeName: _type, policyId: _id, createdAtMs: _c, updatedAtMs: _u, ...policy }) => policy,
  )
}

/** Attempts of the root user, each refused without a trace. */
function refusals(t: Test, fixture: Fixture) {
  const { client, root, organizationId } = fixture
  return (code: RefusalName, type: string, parameters: object, field?: string) => {
    const order: Order = [type, organizationId, parameters]
    return refusedAt(t, client, root, order, code, field)
  }
}

t.test("create_policy stores its parameters, and no empty expression", async (t) => {
  const fixture = await settled(t)
  const texts = {
    condition: "activity.resource == 'WALLET'",
    consensus: "approvers.count() >= 2",
    time: "time.now < Timestamp('2030-01-01T00:00:00Z')",
  }
  const policyId = await created(fixture, { ...allow("wallets", texts), notes: "for wallets" })
  await created(fixture, allow("empty", { condition: "", consensus: "", time: "" }))
  await created(fixture, { ...allow("none", { condition: null }), effect: "EFFECT_DENY" })
  const [ALLOW, DENY] = [1, 2]
  t.same(policiesOf(fixture), [
    { name: "wallets", effect: ALLOW, notes: "for wallets", ...texts },
    { name: "empty", effect: ALLOW, notes: "" },
    { name: "none", effect: DENY, notes: "" },
  ])
  const [{ createdAtMs, updatedAtMs, ...first }] = documentOf(fixture.client, fixture.organizationId)
    .policies as [Policy]
  t.equal(first.policyId, policyId)
  t.ok(createdAtMs > 0n && createdAtMs === updatedAtMs)
})

t.test("create_policies creates all policies of the list, in its order, or none", async (t) => {
  const fixture = await settled(t)
  const refuse = refusals(t, fixture)
  const withoutNotes = { policyName: "two", effect: "EFFECT_ALLOW" }
  const outcome = await fixture.submit("CREATE_POLICIES", { policies: [allow("one"), withoutNotes] })
  const { policyIds } = valueOf(outcome, "createPoliciesResult")
  const { policies } = documentOf(fixture.client, fixture.organizationId)
  t.same(
    policies.map(({ policyId, name }) => [policyId, name]),
    [
      [policyIds[0], "one"],
      [policyIds[1], "two"],
    ],
  )
  const three = allow("three")
  const list = (...policies: object[]) => ({ policies })
  const unique = "parameters.policies[1].policyName"
  await refuse("NAME_TAKEN", "CREATE_POLICIES", list(three, allow("two")), unique)
  await refuse("NAME_TAKEN", "CREATE_POLICIES", list(three, three), unique)
  const faulty = list(three, allow("four", { condition: "true &&" }))
  await refuse("EXPRESSION_INVALID", "CREATE_POLICIES", faulty, "parameters.policies[1].condition")
  await refuse("REQUEST_INVALID", "CREATE_POLICIES", list(three, { policyName: "no effect", notes: "" }))
  await refuse("REQUEST_INVALID", "CREATE_POLICIES", list())
})

t.test("update_policy changes present members and leaves absent ones", async (t) => {
  const fixture = await settled(t)
  const texts = { condition: "true", consensus: "approvers.count() > 1", time: "time.now == time.now" }
  const policyId = await created(fixture, allow("first", texts))
  const change = (type: string, wanted: object) => fixture.submit(type, { policyId, ...wanted })

  const done = await change("UPDATE_POLICY", { policyName: "renamed" })
  t.equal(valueOf(done, "updatePolicyResult").policyId, policyId)
  const renamed = { name: "renamed", effect: 1, notes: "", ...texts }
  t.same(policiesOf(fixture), [renamed], "the first version knows no time and leaves it")
  const wanted = { policyEffect: "EFFECT_DENY", policyNotes: "why", policyCondition: "1 == 2", time: "" }
  await change("UPDATE_POLICY_V2", { policyId: policyId.toUpperCase(), ...wanted })
  const { time: _, ...untimed } = { ...renamed, effect: 2, notes: "why", condition: "1 == 2" }
  t.same(policiesOf(fixture), [untimed], "an empty text takes the expression away")
  await change("UPDATE_POLICY", { policyName: "renamed", policyCondition: "", policyConsensus: "" })
  t.same(policiesOf(fixture), [{ name: "renamed", effect: 2, notes: "why" }], "its own name is free for it")
  const [{ createdAtMs, updatedAtMs }] = documentOf(fixture.client, fixture.organizationId).policies as [
    Policy,
  ]
  t.ok(updatedAtMs > createdAtMs)
})

t.test("update_policy refuses taken names, faulty expressions and unknown policies", async (t) => {
  const fixture = await settled(t)
  const refuse = refusals(t, fixture)
  const policyId = await created(fixture, allow("first"))
  await created(fixture, allow("second"))
  const name = "parameters.policyName"
  await refuse("NAME_TAKEN", "UPDATE_POLICY", { policyId, policyName: "second" }, name)
  const unknown = { policyId: NIL, policyName: "third" }
  await refuse("RESOURCE_UNKNOWN", "UPDATE_POLICY_V2", unknown, "parameters.policyId")
  const members = { policyCondition: "condition", policyConsensus: "consensus", time: "time" }
  for (const [member, field] of Object.entries(members)) {
    const faulty = { policyId, [member]: "nothing.at.all" }
    const at = `parameters.${member}`
    const sentence = await refuse("EXPRESSION_FIELD_UNKNOWN", "UPDATE_POLICY_V2", faulty, at)
    t.match(
      sentence,
      `invalid policy ${field}: Expression cannot be evaluated: field does not exist: nothing`,
    )
  }
})

t.test("delete_policy and delete_policies delete policies, all or none", async (t) => {
  const fixture = await settled(t)
  const { submit } = fixture
  const refuse = refusals(t, fixture)
  const ids = valueOf(
    await submit("CREATE_POLICIES", { policies: ["a", "b", "c", "d"].map((name) => allow(name)) }),
    "createPoliciesResult",
  ).policyIds
  const [a, b, c] = ids as [string, string, string]
  const gone = await submit("DELETE_POLICY", { policyId: a })
  t.equal(valueOf(gone, "deletePolicyResult").policyId, a)
  await refuse("RESOURCE_UNKNOWN", "DELETE_POLICY", { policyId: a }, "parameters.policyId")
  const some = { policyIds: [b, NIL] }
  await refuse("RESOURCE_UNKNOWN", "DELETE_POLICIES", some, "parameters.policyIds[1]")
  const both = await submit("DELETE_POLICIES", { policyIds: [c, b.toUpperCase(), c] })
  t.same(valueOf(both, "deletePoliciesResult").policyIds, [c, b], "each once")
  t.same(
    policiesOf(fixture).map(({ name }) => name),
    ["d"],
  )
  await created(fixture, allow("a"))
})

t.test("a refused expression is reported with the position of its fault", async (t) => {
  const fixture = await settled(t)
  const { client, organizationId, root } = fixture
  const refuse = refusals(t, fixture)
  const gas = allow("gas", { condition: "eth.tx.gasPrice > 1" })
  const misspelt = await client.send(client.body(TYPE("CREATE_POLICY_V3"), organizationId, gas), root)
  t.match(misspelt, {
    is: "refused",
    code: "EXPRESSION_FIELD_UNKNOWN",
    sentence: "invalid policy condition: Expression cannot be evaluated: field does not exist: gasPrice",
    field: "parameters.condition",
    expression: {
      field: "parameters.condition",
      offset: 7,
      length: "gasPrice".length,
      suggestion: "",
    },
  })
  const consensus = { consensus: "approvers.count() >=" }
  const cut = await refuse("EXPRESSION_INVALID", "CREATE_POLICY_V3", allow("cut", consensus))
  t.match(cut, /^invalid policy consensus: ./)
  const wrongType = { time: "time.now == 1" }
  const typed = await refuse("EXPRESSION_INVALID", "CREATE_POLICY_V3", allow("typed", wrongType))
  t.match(typed, /^invalid policy time: ./)
  const noTruth = { condition: "1" }
  await refuse("EXPRESSION_INVALID", "CREATE_POLICY_V3", allow("no truth", noTruth))
  const elsewhere = { condition: "approvers.count() > 1" }
  await refuse("EXPRESSION_FIELD_UNKNOWN", "CREATE_POLICY_V3", allow("elsewhere", elsewhere))
  const deep = { condition: `${"(".repeat(2000)}true${")".repeat(2000)}` }
  await refuse("EXPRESSION_TOO_LARGE", "CREATE_POLICY_V3", allow("deep", deep))
  const long = { condition: `'${"x".repeat(16384)}' == ''` }
  await refuse("REQUEST_INVALID", "CREATE_POLICY_V3", allow("long", long), "parameters.condition")
})

t.test("users, tags and keys named in an expression need not exist", async (t) => {
  const fixture = await settled(t)
  const condition = `activity.type in ['ACTIVITY_TYPE_NONE'] && wallet.id == '${NIL}'`
  const consensus = `approvers.any(user, user.id == '${NIL}' || '${NIL}' in user.tags)`
  const policyId = await created(fixture, allow("nobody", { condition, consensus }))
  t.match(policiesOf(fixture), [{ condition, consensus }])
  t.ok(policyId)
})

t.test("policies are bounded in number and in bytes together", async (t) => {
  const fixture = await settled(t, { COUNTERSIGN_SIGNER_MAX_POLICIES: "100" })
  const refuse = refusals(t, fixture)
  const many = Array.from({ length: 99 }, (_, index) => allow(`policy ${index}`))
  await fixture.submit("CREATE_POLICIES", { policies: many })
  const over = { policies: [allow("100th"), allow("101st")] }
  await refuse("LIMIT_EXCEEDED", "CREATE_POLICIES", over, "parameters.policies[1]")
  const last = await created(fixture, allow("100th"))
  await refuse("LIMIT_EXCEEDED", "CREATE_POLICY_V3", allow("101st"))
  await fixture.submit("DELETE_POLICIES", {
    policyIds: documentOf(fixture.client, fixture.organizationId).policies.map(({ policyId }) => policyId),
  })
  await refuse("RESOURCE_UNKNOWN", "DELETE_POLICY", { policyId: last })

  const KIB_16 = "ü".repeat(8 * 1024)
  const large = Array.from({ length: 15 }, (_, index) => allow(`large ${index}`, { notes: KIB_16 }))
  await fixture.submit("CREATE_POLICIES", { policies: large })
  const policyId = await created(fixture, allow("small"))
  const rest = { policyId, policyNotes: KIB_16 }
  await refuse("POLICIES_TOO_LARGE", "UPDATE_POLICY_V2", rest, "parameters")
  const two = { policies: [allow("fits"), allow("does not", { notes: KIB_16 })] }
  await refuse("POLICIES_TOO_LARGE", "CREATE_POLICIES", two, "parameters.policies[1]")
})

t.test("a faulty policy is refused before any user is asked to vote", async (t) => {
  const fixture = await settled(t)
  const { client, organizationId, root, rootUserId, alice, submit } = fixture
  await submit("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [rootUserId, alice.userId] })
  const refuse = refusals(t, fixture)
  const faulty = allow("faulty", { condition: "true &&" })
  await refuse("EXPRESSION_INVALID", "CREATE_POLICY_V3", faulty, "parameters.condition")

  const body = client.body(TYPE("CREATE_POLICY_V3"), organizationId, allow("shared"))
  const waiting = await client.send(body, root)
  t.match(waiting, { is: "outcome", outcome: { status: ActivityStatus.CONSENSUS_NEEDED } })
  const approved = await client.send(body, alice.key)
  t.match(approved, { is: "outcome", outcome: { status: ActivityStatus.COMPLETED } })
})

t.test("an approved activity that cannot be executed fails for good", async (t) => {
  const fixture = await settled(t)
  const { client, organizationId, root, rootUserId, alice, submit } = fixture
  await submit("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [rootUserId, alice.userId] })
  const notes = "ü".repeat(8 * 1024)
  const bodyOf = (index: number) => {
    const policies = Array.from({ length: 10 }, (_, at) => allow(`${index} ${at}`, { notes }))
    return client.body(TYPE("CREATE_POLICIES"), organizationId, { policies })
  }
  const bodies = [bodyOf(0), bodyOf(1)]
  for (const body of bodies) await client.send(body, root)
  const statuses = []
  for (const body of bodies) {
    const answer = await client.send(body, alice.key)
    statuses.push(answer.is === "outcome" ? answer.outcome.failure?.code : answer)
  }
  t.same(statuses, [undefined, RefusalCode.POLICIES_TOO_LARGE])
})

t.test("a user whom no policy allows creates no policy", async (t) => {
  const { client, organizationId, alice, submit } = await settled(t)
  const order: Order = ["CREATE_POLICY_V3", organizationId, allow("mine")]
  await refusedAt(t, client, alice.key, order, "PERMISSION_DENIED")
  const never = allow("ours", { condition: "false" })
  const { policyId } = valueOf(await submit("CREATE_POLICY_V3", never), "createPolicyResult")
  const change = { policyId, policyEffect: "EFFECT_DENY" }
  await refusedAt(t, client, alice.key, ["UPDATE_POLICY_V2", organizationId, change], "PERMISSION_DENIED")
  await refusedAt(t, client, alice.key, ["DELETE_POLICY", organizationId, { policyId }], "PERMISSION_DENIED")
})
