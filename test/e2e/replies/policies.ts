// Policies.
import type { Json } from "../../harness/system.ts"
import type { Sequence } from "./sequence.ts"

const NIL = "00000000-0000-4000-8000-000000000000"

export const policies: Sequence = {
  title: "policies, over HTTP:",
  run: async (t, { send, submit, query, refused }) => {
    const allow = (policyName: string) => ({ policyName, effect: "EFFECT_ALLOW", notes: "" })

    t.test("replies have the documented shape, and a change applies to the next request", async (t) => {
      const consensus = "approvers.any(user, user.id == 'nobody')"
      const time = "time.now < Timestamp('2030-01-01T00:00:00Z')"
      const made = { ...allow("wallets"), condition: "activity.resource == 'WALLET'", consensus, time }
      const { policyId } = await submit("CREATE_POLICY_V3", made)
      const { policy } = await query("get_policy", { policyId: String(policyId).toUpperCase() })
      t.match(policy, { policyId, ...made })
      t.same((policy as Json)["createdAt"], (policy as Json)["updatedAt"])
      const two = { policies: [allow("one"), { policyName: "two", effect: "EFFECT_DENY", condition: "" }] }
      const { policyIds } = await submit("CREATE_POLICIES", two)
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
      t.same(await submit("UPDATE_POLICY", update), { policyId })
      t.match(await query("get_policy", { policyId }), {
        policy: { ...made, policyName: "keys", effect: "EFFECT_DENY", notes: "why" },
      })
      const texts = { policyCondition: "", policyConsensus: "", time: "" }
      t.same(await submit("UPDATE_POLICY_V2", { policyId, ...texts }), { policyId })
      const bare = (await query("get_policy", { policyId }))["policy"] as Json
      t.match(bare, { condition: "", consensus: "" })
      t.notOk("time" in bare)

      t.same(await submit("DELETE_POLICY", { policyId }), { policyId })
      t.same(await submit("DELETE_POLICIES", { policyIds }), { policyIds })
      t.same(await query("list_policies"), { policies: [] })
      const gone = await refused("get_policy", { policyId }, [404, 5])
      t.match(gone, { message: `unable to find policy ${String(policyId)}` })
    })

    t.test("refusals carry the texts that clients match", async (t) => {
      const create = (policy: object) => refused("CREATE_POLICY_V3", policy, [400, 3])
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
      await submit("CREATE_POLICY_V3", allow("taken"))
      t.match(await create(allow("taken")), { message: /^policy label must be unique/ })
      for (const type of ["CREATE_POLICY", "CREATE_POLICY_V2"]) {
        const old = { policyName: "old", selectors: [], effect: "EFFECT_ALLOW", notes: "" }
        const { status, json } = await send(type, old)
        t.equal(status, 400)
        t.match(json, { message: /obsolete.*ACTIVITY_TYPE_CREATE_POLICY_V3/ })
      }
      const unknown = { policyIds: [NIL] }
      const missing = await refused("DELETE_POLICIES", unknown, [404, 5])
      t.match(missing, { message: `unable to find policy ${NIL}` })
    })
  },
}
