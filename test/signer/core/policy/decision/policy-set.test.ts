import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import { Effect, FeatureName } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  OrganizationDocumentSchema,
  type PolicySchema,
} from "../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Organization } from "../../../../../signer/core/organization/organization.ts"
import {
  compileAll,
  compileExpression,
  isCompiled,
  policiesOf,
  rootsOf,
} from "../../../../../signer/core/policy/decision/policy-set.ts"

function organization(init: MessageInitShape<typeof OrganizationDocumentSchema>): Organization {
  return new Organization(create(OrganizationDocumentSchema, init), new Uint8Array(32), 0)
}

/** A condition of about 16,000 characters. */
const long = (name: string) => `wallet.label == '${name}${"x".repeat(16_000)}'`

t.test(
  "an organization's policies are compiled once, with the roots that their conditions read",
  async (t) => {
    const acme = organization({
      features: [{ name: FeatureName.STRICT_DENY, value: "true" }],
      policies: [
        { policyId: "one", effect: Effect.ALLOW, condition: "wallet.id == 'a' && activity.kind == 'b'" },
        { policyId: "two", effect: Effect.DENY, condition: "wallet.id == 'c'", consensus: "" },
        { policyId: "three", effect: Effect.UNSPECIFIED, time: "not an expression" },
      ],
    })
    t.notOk(isCompiled(acme))
    const set = policiesOf(acme)
    t.ok(isCompiled(acme))
    t.equal(policiesOf(acme), set)
    t.same([...set.roots].toSorted(), ["activity", "wallet"])
    t.ok(set.isStrict)
    t.match(set.policies, [
      { policyId: "one", effect: "allow", consensus: "absent", time: "absent" },
      { policyId: "two", effect: "deny", consensus: "absent", time: "absent" },
      { policyId: "three", effect: "deny", condition: "absent", time: "broken" },
    ])
    t.notOk(policiesOf(organization({})).isStrict)
  },
)

t.test("conditions of MFA policies and policies are compiled one expression a step", async (t) => {
  const condition = "activity.action == 'COMPILED ONE BY ONE'"
  const acme = organization({
    users: [{ mfaPolicies: [{ condition }, { condition: "true" }] }, { mfaPolicies: [{ condition: "" }] }],
    policies: [{ effect: Effect.ALLOW }, { effect: Effect.DENY, condition: "false" }],
  })
  const steps = compileAll(acme)
  for (let step = 0; step < 3 + 2 * 3; step++) {
    t.notOk(isCompiled(acme))
    t.notOk(steps.next().done, `step ${step}`)
  }
  t.ok(steps.next().done)
  t.ok(isCompiled(acme))
})

t.test("the roots of an expression that is absent or broken are none", async (t) => {
  t.same(rootsOf(compileExpression(undefined, "condition")), [])
  t.same(rootsOf(compileExpression("not an expression", "condition")), [])
  t.same(rootsOf(compileExpression("wallet.id == 'a'", "condition")), ["wallet"])
})

t.test("only a fault of the expression makes it broken", async (t) => {
  t.throws(() => compileExpression("true", "no such field" as never), TypeError)
})

t.test("the same text in another field is another expression", async (t) => {
  t.type(compileExpression("approvers.count() >= 1", "consensus"), Object)
  t.equal(compileExpression("approvers.count() >= 1", "condition"), "broken")
})

t.test("compiled expressions are kept up to 1 Mi characters, those used last", async (t) => {
  const compiled = (index: number) => compileExpression(long(`kept ${index} `), "condition")
  const first = compiled(0)
  t.type(first, Object)
  for (let index = 1; index < 60; index++) compiled(index)
  t.equal(compiled(0), first, "60 of 16,000 characters")
  for (let index = 60; index < 130; index++) compiled(index)
  t.not(compiled(0), first, "another 70")
})

t.test("a short expression weighs a hundred characters more than its text", async (t) => {
  const compiled = (index: number) => compileExpression(`wallet.label == '${index}'`, "condition")
  const first = compiled(0)
  for (let index = 1; index < 1000; index++) compiled(index)
  t.equal(compiled(0), first)
  for (let index = 1000; index < 10_000; index++) compiled(index)
  t.not(compiled(0), first)
})

/** Compiles the policies of new organizations, and returns the first of them. */
function compileOrganizations(count: number, policies: () => MessageInitShape<typeof PolicySchema>[]) {
  const all = Array.from({ length: count }, () => organization({ policies: policies() }))
  for (const one of all) policiesOf(one)
  return all[0]!
}

// The characters of a consensus count twice: its conditions on single votes are compiled too.
for (const [field, count] of [
  ["condition", 8],
  ["consensus", 4],
  ["time", 8],
] as const) {
  t.test(`compiled policies are kept up to 2 Mi characters: ${field}`, async (t) => {
    const policies = () => Array.from({ length: count }, () => ({ [field]: long("kept") }))
    const first = compileOrganizations(14, policies)
    t.ok(isCompiled(first), "14 of 130,000 characters")
    compileOrganizations(18, policies)
    t.notOk(isCompiled(first), "another 18")
  })
}

t.test("a policy without text weighs a hundred characters", async (t) => {
  const policies = () => Array.from({ length: 200 }, () => ({ effect: Effect.DENY }))
  const first = compileOrganizations(100, policies)
  t.ok(isCompiled(first), "100 of 20,000 characters")
  compileOrganizations(110, policies)
  t.notOk(isCompiled(first), "another 110")
})
