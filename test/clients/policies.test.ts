// Published clients, unmodified, manage policies of the running system.
import t from "tap"
import { userParams } from "../harness/api-client.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { httpOf, sdkOf } from "./published.ts"

t.test("published clients manage policies", async (t) => {
  const system = await sharedSystem()
  const { organizationId, root } = await system.createOrganization()
  const sdk = sdkOf(system, organizationId, root)
  const http = httpOf(system, root)
  const envelope = () => ({ organizationId, timestampMs: String(Date.now()) })
  const policy = (policyName: string) => ({ policyName, effect: "EFFECT_ALLOW" as const, notes: "" })

  t.test("through the server's SDK", async (t) => {
    const condition = "activity.resource == 'WALLET' && activity.action == 'CREATE'"
    const { policyId } = await sdk.createPolicy({ ...policy("wallets"), condition })
    const { policyIds } = await sdk.createPolicies({ policies: [policy("one"), policy("two")] })
    const shown = await sdk.getPolicy({ policyId })
    t.match(shown.policy, {
      policyId,
      policyName: "wallets",
      effect: "EFFECT_ALLOW",
      condition,
      consensus: "",
    })
    await sdk.updatePolicy({ policyId, policyName: "no wallets", policyEffect: "EFFECT_DENY" })
    const { policies } = await sdk.getPolicies({})
    t.match(policies, [
      { policyId, policyName: "no wallets", effect: "EFFECT_DENY", condition },
      { policyId: policyIds[0], policyName: "one" },
      { policyId: policyIds[1], policyName: "two" },
    ])
    t.match(await sdk.deletePolicy({ policyId }), { policyId })
    t.match(await sdk.deletePolicies({ policyIds }), { policyIds })
    t.same((await sdk.getPolicies({})).policies, [])
  })

  t.test("through the older client, with either version of an update", async (t) => {
    const { activity } = await http.createPolicy({
      type: "ACTIVITY_TYPE_CREATE_POLICY_V3",
      ...envelope(),
      parameters: { ...policy("older"), consensus: "approvers.count() >= 2" },
    })
    const policyId = activity.result.createPolicyResult?.policyId ?? ""
    const updated = await http.updatePolicy({
      type: "ACTIVITY_TYPE_UPDATE_POLICY_V2",
      ...envelope(),
      parameters: { policyId, policyNotes: "for two" },
    })
    t.match(updated.activity.result, { updatePolicyResultV2: { policyId } })
    t.match((await http.getPolicies({ organizationId })).policies, [
      { policyId, notes: "for two", consensus: "approvers.count() >= 2", condition: "" },
    ])
  })

  t.test("and receive the position of a faulty expression", async (t) => {
    const misspelt = sdk.createPolicy({ ...policy("gas"), condition: "eth.tx.gasPrice < 20" })
    await t.rejects(misspelt, {
      code: 3,
      message: /invalid policy condition: Expression cannot be evaluated: field does not exist: gasPrice/,
    })
    const taken = sdk.createPolicy(policy("older"))
    await t.rejects(taken, { code: 3, message: /policy label must be unique/ })
  })

  t.test("and every change applies from the next request on", async (t) => {
    const { policies } = await sdk.getPolicies({})
    await sdk.deletePolicies({ policyIds: policies.map(({ policyId }) => policyId) })
    const alice = newKey()
    const { userIds } = await sdk.createUsers({ users: [userParams("alice", alice) as never] })
    const condition = "activity.kind == 'CREATE_WALLET'"
    const consensus = `approvers.any(user, user.id == '${userIds[0]}')`
    const asAlice = sdkOf(system, organizationId, alice)
    let wallets = 0
    const create = () => asAlice.createWallet({ walletName: `wallet ${++wallets}`, accounts: [] })
    const denied = { code: 7, message: /sufficient permissions/ }
    await t.rejects(create(), denied)
    const { policyId } = await sdk.createPolicy({ ...policy("alice's wallets"), condition, consensus })
    t.ok((await create()).walletId)
    await sdk.updatePolicy({ policyId, policyConsensus: "", policyEffect: "EFFECT_DENY" })
    await t.rejects(create(), denied)
    await sdk.updatePolicy({ policyId, policyEffect: "EFFECT_ALLOW" })
    t.ok((await create()).walletId)
    await sdk.deletePolicy({ policyId })
    await t.rejects(create(), denied)
  })
})
