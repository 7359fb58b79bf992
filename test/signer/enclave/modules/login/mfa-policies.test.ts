import t, { type Test } from "tap"
import type { RefusalName } from "../../../../../signer/core/refusal.ts"
import { NIL } from "../../../../contract/boundary/names.ts"
import { refusedAt, settled } from "../../../../contract/refused.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { Passkey } from "../../../../harness/authenticator.ts"
import { documentOf } from "../../../../harness/document.ts"

const PASSKEY = { type: "AUTHENTICATION_TYPE_PASSKEY" }
const steps = [{ any: [PASSKEY, { type: "AUTHENTICATION_TYPE_API_KEY", id: NIL.toUpperCase() }] }]

function policy(userId: string, mfaPolicyName: string, others: object = {}) {
  const condition = "activity.action == 'SIGN'"
  return { userId, mfaPolicyName, condition, requiredAuthenticationMethods: steps, order: 1, ...others }
}

async function base(t: Test) {
  const fixture = await settled(t)
  const { client, root, organizationId } = fixture
  const userId = documentOf(client, organizationId).users[0]!.userId
  await fixture.submit("CREATE_AUTHENTICATORS_V2", { userId, authenticators: [new Passkey().create()] })
  const create = async (name: string, others: object = {}) =>
    valueOf(await fixture.submit("CREATE_MFA_POLICY", policy(userId, name, others)), "createMfaPolicyResult")
      .mfaPolicyId
  const refused = (type: string, code: RefusalName, parameters: object, field?: string) =>
    refusedAt(t, client, root, [type, organizationId, parameters], code, field)
  const policies = () => documentOf(client, organizationId).users[0]!.mfaPolicies
  return { ...fixture, userId, create, refused, policies }
}

t.test("create_mfa_policy stores its parameters, ids in lower case", async (t) => {
  const { create, policies } = await base(t)
  const ids = [await create("one", { notes: "why" }), await create("two", { order: -5 })]
  t.match(policies(), [
    { mfaPolicyId: ids[0], name: "one", condition: "activity.action == 'SIGN'", order: 1, notes: "why" },
    { mfaPolicyId: ids[1], name: "two", order: -5 },
  ])
  t.same(
    policies()[0]!.steps.map(({ any }) => any.map(({ type, id }) => [type, id])),
    [
      [
        [3, ""],
        [4, NIL.toLowerCase()],
      ],
    ],
  )
})

t.test("create_mfa_policy refuses empty requirements, and codes that are off", async (t) => {
  const { refused, create, userId } = await base(t)
  const no = (code: RefusalName, others: object, field: string) =>
    refused("CREATE_MFA_POLICY", code, policy(userId, "new", others), field)
  await no("RESOURCE_UNKNOWN", { userId: NIL }, "parameters.userId")
  await no("EXPRESSION_INVALID", { condition: "activity.action" }, "parameters.condition")
  await no("EXPRESSION_INVALID", { condition: "" }, "parameters.condition")
  await no("EXPRESSION_FIELD_UNKNOWN", { condition: "activity.actions == 'x'" }, "parameters.condition")
  await no(
    "REQUEST_INVALID",
    { requiredAuthenticationMethods: [] },
    "parameters.requiredAuthenticationMethods",
  )
  for (const type of ["EMAIL_OTP", "SMS_OTP"]) {
    const unserved = [{ any: [PASSKEY, { type: `AUTHENTICATION_TYPE_${type}` }] }]
    const field = "parameters.requiredAuthenticationMethods[0].any[1].type"
    await no("OTP_DISABLED", { requiredAuthenticationMethods: unserved }, field)
  }
  await create("taken")
  await no("NAME_TAKEN", { mfaPolicyName: "taken" }, "parameters.mfaPolicyName")
})

t.test("an MFA policy that its user's credentials cannot meet is refused, also as a change", async (t) => {
  const { refused, create, client, organizationId, userId, policies, submit } = await base(t)
  const user = documentOf(client, organizationId).users[0]!
  const field = "parameters.requiredAuthenticationMethods"
  const API_KEY = { type: "AUTHENTICATION_TYPE_API_KEY" }
  const SESSION = { type: "AUTHENTICATION_TYPE_SESSION" }
  const all = (...methods: object[]) => ({
    requiredAuthenticationMethods: methods.map((method) => ({ any: [method] })),
  })
  const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)
  const unmet = [
    all({ ...API_KEY, id: NIL }),
    all(...many(user.apiKeys.length + 1, API_KEY)),
    all(...many(user.authenticators.length + 1, PASSKEY)),
    all(API_KEY, { ...PASSKEY, id: NIL }),
  ]
  const mfaPolicyId = await create("met", all(API_KEY))
  for (const demanded of unmet) {
    await refused("CREATE_MFA_POLICY", "MFA_POLICY_UNSATISFIABLE", policy(userId, "new", demanded), field)
    const change = { userId, mfaPolicyId, ...demanded }
    await refused("UPDATE_MFA_POLICY", "MFA_POLICY_UNSATISFIABLE", change, field)
  }
  await create("all keys", all(...many(user.apiKeys.length, API_KEY)))
  await create("a session of each", all(...many(user.apiKeys.length, SESSION)))
  await submit("UPDATE_MFA_POLICY", { userId, mfaPolicyId, condition: "true" })
  t.equal(policies().length, 3)
})

t.test("a method that names a session profile needs an existing one", async (t) => {
  const { refused, create, userId, submit } = await base(t)
  const made = await submit("CREATE_SESSION_PROFILE", { sessionProfileName: "reader", scope: "true" })
  const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
  const asking = (id: string) => ({
    requiredAuthenticationMethods: [{ any: [PASSKEY, { type: "AUTHENTICATION_TYPE_SESSION", id }] }],
  })
  const field = "parameters.requiredAuthenticationMethods[0].any[1].id"
  const mfaPolicyId = await create("by profile", asking(sessionProfileId.toUpperCase()))
  await create("by any session without profile", asking("00000000-0000-0000-0000-000000000000"))
  for (const id of [NIL, "any text"]) {
    await refused("CREATE_MFA_POLICY", "RESOURCE_UNKNOWN", policy(userId, "new", asking(id)), field)
    const change = { userId, mfaPolicyId, ...asking(id) }
    await refused("UPDATE_MFA_POLICY", "RESOURCE_UNKNOWN", change, field)
  }
  await submit("DELETE_SESSION_PROFILE", { sessionProfileId })
  await submit("UPDATE_MFA_POLICY", { userId, mfaPolicyId, order: 5, requiredAuthenticationMethods: [] })
  const again = { userId, mfaPolicyId, ...asking(sessionProfileId) }
  await refused("UPDATE_MFA_POLICY", "RESOURCE_UNKNOWN", again, field)
})

t.test("update_mfa_policy changes present members and leaves absent ones", async (t) => {
  const { submit, create, policies, refused, userId } = await base(t)
  const mfaPolicyId = await create("one", { notes: "why" })
  await create("two")
  const before = policies()[0]!
  await submit("UPDATE_MFA_POLICY", {
    userId,
    mfaPolicyId: mfaPolicyId.toUpperCase(),
    requiredAuthenticationMethods: [],
  })
  t.match(policies()[0], { ...before, updatedAtMs: BigInt })
  const change = {
    mfaPolicyName: "three",
    condition: "1 == 2",
    requiredAuthenticationMethods: [{ any: [PASSKEY] }, { any: [{ type: "AUTHENTICATION_TYPE_API_KEY" }] }],
    order: 7,
    notes: "",
  }
  await submit("UPDATE_MFA_POLICY", { userId, mfaPolicyId, ...change })
  t.match(policies()[0], { name: "three", condition: "1 == 2", order: 7, notes: "" })
  t.equal(policies()[0]!.steps.length, 2)
  const place = { userId, mfaPolicyId, requiredAuthenticationMethods: [] }
  const no = (code: RefusalName, parameters: object, field: string) =>
    refused("UPDATE_MFA_POLICY", code, { ...place, ...parameters }, field)
  await no("NAME_TAKEN", { mfaPolicyName: "two" }, "parameters.mfaPolicyName")
  await no("RESOURCE_UNKNOWN", { mfaPolicyId: NIL }, "parameters.mfaPolicyId")
  await no("EXPRESSION_INVALID", { condition: "" }, "parameters.condition")
})

t.test("delete_mfa_policy deletes a policy", async (t) => {
  const { submit, create, policies, refused, userId } = await base(t)
  const mfaPolicyId = await create("one")
  const outcome = await submit("DELETE_MFA_POLICY", { userId, mfaPolicyId })
  t.equal(valueOf(outcome, "deleteMfaPolicyResult").mfaPolicyId, mfaPolicyId)
  t.same(policies(), [])
  await refused("DELETE_MFA_POLICY", "RESOURCE_UNKNOWN", { userId, mfaPolicyId }, "parameters.mfaPolicyId")
})

t.test("MFA policies are bounded in number and in bytes together", async (t) => {
  const { create, refused, userId } = await base(t)
  for (let index = 0; index < 10; index++) await create(`policy ${index}`)
  await refused("CREATE_MFA_POLICY", "LIMIT_EXCEEDED", policy(userId, "more"), "parameters.userId")
  const other = await base(t)
  const long = `activity.action == '${"x".repeat(16_000)}'`
  const notes = "n".repeat(15_000)
  for (let index = 0; index < 8; index++) await other.create(`policy ${index}`, { condition: long, notes })
  const more = policy(other.userId, "more", { condition: long, notes })
  await other.refused("CREATE_MFA_POLICY", "POLICIES_TOO_LARGE", more, "parameters.mfaPolicyName")
})
