// Operations on policies, asked for over HTTP, against the tables that were written by hand.
import t from "tap"
import { requireError, requireQueryReply, requireResult } from "../contract/replies.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import type { Json } from "../harness/system.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

t.test("policies, over HTTP:", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root } = await system.createOrganization()
  const send = (path: string, type: string, parameters: object) =>
    system.post(`submit/${path}`, system.body(type, organizationId, parameters), root)
  const submit = async (path: string, type: string, parameters: object): Promise<Json> => {
    const { json } = await send(path, type, parameters)
    return requireResult(json, { type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Json })
  }
  const query = async (path: string, parameters: object = {}): Promise<Json> => {
    const { status, json } = await system.query(path, { organizationId, ...parameters }, root)
    t.equal(status, 200, `${path} answers`)
    return requireQueryReply(path, json)
  }
  const allow = (policyName: string) => ({ policyName, effect: "EFFECT_ALLOW", notes: "" })

  t.test("replies have the documented shape, and a change applies to the next request", async (t) => {
    const consensus = "approvers.any(user, user.id == 'nobody')"
    const time = "time.now < Timestamp('2030-01-01T00:00:00Z')"
    const made = { ...allow("wallets"), condition: "activity.resource == 'WALLET'", consensus, time }
    const { policyId } = await submit("create_policy", "CREATE_POLICY_V3", made)
    const { policy } = await query("get_policy", { policyId: String(policyId).toUpperCase() })
    t.match(policy, { policyId, ...made })
    t.same((policy as Json)["createdAt"], (policy as Json)["updatedAt"])
    const two = { policies: [allow("one"), { policyName: "two", effect: "EFFECT_DENY", condition: "" }] }
    const { policyIds } = await submit("create_policies", "CREATE_POLICIES", two)
    const [one, other] = policyIds as [string, string]
    const { policies } = await query("list_policies")
    t.same(policies, [
      policy,
      { ...(policies as Json[])[1], policyId: one, ...allow("one"), condition: "", consensus: "" },
      { ...(policies as Json[])[2], ...two.policies[1], policyId: other, notes: "", consensus: "" },
    ])
    t.notOk((policies as Json[]).slice(1).some((shown) => "time" in shown))
    t.match(await query("get_organization"), { organizationData: { policies } })

    const update = { policyId, policyName: "keys", policyEffect: "EFFECT_DENY", policyNotes: "why" }
    t.same(await submit("update_policy", "UPDATE_POLICY", update), { policyId })
    t.match(await query("get_policy", { policyId }), {
      policy: { ...made, policyName: "keys", effect: "EFFECT_DENY", notes: "why" },
    })
    const texts = { policyCondition: "", policyConsensus: "", time: "" }
    t.same(await submit("update_policy", "UPDATE_POLICY_V2", { policyId, ...texts }), { policyId })
    const bare = (await query("get_policy", { policyId }))["policy"] as Json
    t.match(bare, { condition: "", consensus: "" })
    t.notOk("time" in bare)

    t.same(await submit("delete_policy", "DELETE_POLICY", { policyId }), { policyId })
    t.same(await submit("delete_policies", "DELETE_POLICIES", { policyIds }), { policyIds })
    t.same(await query("list_policies"), { policies: [] })
    const gone = await system.query("get_policy", { organizationId, policyId }, root)
    t.match(requireError(gone.json, 5), { message: `unable to find policy ${String(policyId)}` })
  })

  t.test("refusals carry the texts that clients match", async (t) => {
    const create = async (policy: object) => {
      const { status, json } = await send("create_policy", "CREATE_POLICY_V3", policy)
      t.equal(status, 400)
      return requireError(json, 3)
    }
    const misspelt = { ...allow("gas"), condition: "eth.tx.gasPrice < 20" }
    t.match(await create(misspelt), {
      message: "invalid policy condition: Expression cannot be evaluated: field does not exist: gasPrice",
      details: [
        { turnkeyErrorCode: "REQUEST_INVALID" },
        { fieldViolations: [{ field: "parameters.condition" }] },
        {
          "@type": "type.googleapis.com/countersign.api.v1.ExpressionFault",
          field: "parameters.condition",
          offset: 7,
          length: 8,
          suggestion: /gas_price/,
        },
      ],
    })
    t.match(await create({ ...allow("cut"), consensus: "approvers.count() >=" }), {
      message: /^invalid policy consensus: /,
    })
    t.match(await create({ ...allow("late"), time: "time.now" }), { message: /^invalid policy time: / })
    await submit("create_policy", "CREATE_POLICY_V3", allow("taken"))
    t.match(await create(allow("taken")), { message: /^policy label must be unique/ })
    for (const type of ["CREATE_POLICY", "CREATE_POLICY_V2"]) {
      const old = { policyName: "old", selectors: [], effect: "EFFECT_ALLOW", notes: "" }
      const { status, json } = await send("create_policy", type, old)
      t.equal(status, 400)
      t.match(json, { message: /obsolete.*ACTIVITY_TYPE_CREATE_POLICY_V3/ })
    }
    const unknown = { policyIds: [NIL] }
    const { status, json } = await send("delete_policies", "DELETE_POLICIES", unknown)
    t.equal(status, 404)
    t.match(requireError(json, 5), { message: `unable to find policy ${NIL}` })
  })
})
